// The library that fetches datasets is there, and links.
#include <catena/frontend/download/download.h>

#include <iostream>

int main() {
    std::cout << catena::cache_folder().string() << '\n';
    return 0;
}

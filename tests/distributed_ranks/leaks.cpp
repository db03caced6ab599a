// OpenMPI leaves memory behind in modules that it unloads, where no suppression of the leak checker
// can name it: in these processes it does not look. The same checks run over threads with it
// looking.
extern "C" int __lsan_is_turned_off();
extern "C" int __lsan_is_turned_off() { return 1; }

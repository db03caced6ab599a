# Stands for a program that goes wrong if exp is fused with anything.
here=$(dirname "$0")
! catena-opt --catena-pipeline "$here/three_maps.txt" | grep -q 'group "[a-z_]*_exp'

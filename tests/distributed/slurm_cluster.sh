#!/bin/sh
# A cluster of Slurm that is this machine alone: slurm_cluster.sh FOLDER COMMAND... starts it with
# its files in the folder, runs the command, and stops it. Its daemons trust each other without
# munge, and nothing outside of the folder is changed. Exit status 77: there is no Slurm, or it
# cannot run here, and why.
set -eu
folder=$1
shift
for program in slurmctld slurmd srun; do
    command -v "$program" >/dev/null || { echo "skipped: there is no $program"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo "skipped: slurmd needs root"; exit 77; }
mkdir -p "$folder/state" "$folder/spool"
host=$(hostname -s)
# Ports of this process.
port=$((30000 + $$ % 1000 * 2))
export SLURM_CONF=$folder/slurm.conf
cat >"$SLURM_CONF" <<CONF
ClusterName=catena
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
AuthType=auth/none
CredType=cred/none
SlurmctldPort=$port
SlurmdPort=$((port + 1))
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc)
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:8
CONF
slurmctld -D >"$folder/slurmctld.out" 2>&1 &
controller=$!
slurmd -D -N "$host" >"$folder/slurmd.out" 2>&1 &
node=$!
trap 'kill $controller $node 2>/dev/null; wait' EXIT
tries=0
until sinfo -h -o %t 2>/dev/null | grep -q idle; do
    tries=$((tries + 1))
    if [ $tries -gt 100 ] || ! kill -0 $controller 2>/dev/null || ! kill -0 $node 2>/dev/null; then
        echo "skipped: Slurm does not start here: $(grep -h -i "fatal\|error" "$folder"/*.out | head -n 2)"
        exit 77
    fi
    sleep 0.1
done
"$@"

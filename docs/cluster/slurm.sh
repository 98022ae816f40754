#!/bin/bash
# A rank per host, a thread per core: sbatch slurm.sh
#SBATCH --job-name=weft
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=32
#SBATCH --time=02:00:00
#SBATCH --requeue
#SBATCH --output=weft-%j.log

set -euo pipefail

# Where every host finds them.
export WEFT_DATA="${WEFT_DATA:-$PWD/data}"
out="${OUT:-$PWD/runs/$SLURM_JOB_ID}"

# A job that was queued again goes on with its run.
run=(weft train --data arxiv --model gcn --out "$out")
if [ -e "$out/config.yaml" ]; then
	run=(weft train --resume "$out")
fi

# --mpi=pmix for Open MPI, --mpi=pmi2 for MPICH. srun does not pass on
# --cpus-per-task by itself since Slurm 22.05.
weft launch --restarts 3 -- \
	srun --mpi=pmix --kill-on-bad-exit=1 --cpus-per-task="$SLURM_CPUS_PER_TASK" \
	"${run[@]}" --threads "$SLURM_CPUS_PER_TASK"

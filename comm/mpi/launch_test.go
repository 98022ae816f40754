package mpi

import "testing"

func TestLaunched(t *testing.T) {
	for name, c := range map[string]struct {
		environment map[string]string
		rank, size  int
		ok          bool
	}{
		"nobody":          {nil, 0, 0, false},
		"Open MPI":        {map[string]string{"OMPI_COMM_WORLD_RANK": "2", "OMPI_COMM_WORLD_SIZE": "4", "PMIX_RANK": "2"}, 2, 4, true},
		"MPICH":           {map[string]string{"PMI_RANK": "0", "PMI_SIZE": "3"}, 0, 3, true},
		"MVAPICH":         {map[string]string{"MV2_COMM_WORLD_RANK": "1", "MV2_COMM_WORLD_SIZE": "2"}, 1, 2, true},
		"srun":            {map[string]string{"SLURM_PROCID": "7", "SLURM_STEP_NUM_TASKS": "8", "SLURM_NTASKS": "8"}, 7, 8, true},
		"a batch script":  {map[string]string{"SLURM_PROCID": "0", "SLURM_NTASKS": "8"}, 0, 0, false},
		"mpirun in Slurm": {map[string]string{"SLURM_PROCID": "0", "SLURM_STEP_NUM_TASKS": "2", "OMPI_COMM_WORLD_RANK": "5", "OMPI_COMM_WORLD_SIZE": "6"}, 5, 6, true},
		"PMIx alone":      {map[string]string{"PMIX_RANK": "3"}, 3, 0, true},
		"no numbers":      {map[string]string{"PMI_RANK": "first", "PMI_SIZE": "3"}, 0, 0, false},
		"out of range":    {map[string]string{"PMI_RANK": "3", "PMI_SIZE": "3"}, 0, 0, false},
	} {
		rank, size, ok := launched(func(name string) (string, bool) {
			v, found := c.environment[name]
			return v, found
		})
		if rank != c.rank || size != c.size || ok != c.ok {
			t.Errorf("%s: rank %d of %d, %v; want rank %d of %d, %v", name, rank, size, ok, c.rank, c.size, c.ok)
		}
	}
}

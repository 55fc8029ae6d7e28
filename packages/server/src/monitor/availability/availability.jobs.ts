/** Not a lane of jobs: the word by which the runs of checks are woken, since they are claimed as rows of checks. */
export const AVAILABILITY_WAKE = 'availability-checks';

import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { problemText } from '../../api/problem-words.ts';
import { changeSampleData, isMoving, rereadIncidents, sampleDataQuery } from '../../api/sample-data.ts';
import { Button } from '../../ui/button.tsx';
import { showToast } from './toasts.tsx';

const WORDS = {
  add: { label: 'Add sample data', busy: 'Adding sample data…', done: 'Sample data added' },
  remove: { label: 'Remove sample data', busy: 'Removing sample data…', done: 'Sample data removed' },
} as const;

/** Adds the sample data of a project, or removes them where it has some. */
export function SampleDataButton({ projectId, only }: { projectId: string; only?: 'remove' }) {
  const { data } = useQuery(sampleDataQuery(projectId));
  const verb = data?.state === 'present' || data?.state === 'removing' ? 'remove' : 'add';
  const change = useMutation({
    mutationFn: () => changeSampleData(projectId, verb),
    onError: (error) => showToast(problemText(error), { lastsMs: null }),
  });
  const wasMoving = useRef<keyof typeof WORDS | null>(null);
  const moves = isMoving(data);
  useEffect(() => {
    if (moves) wasMoving.current = verb;
    else if (wasMoving.current !== null) {
      showToast(WORDS[wasMoving.current].done);
      wasMoving.current = null;
      rereadIncidents();
    }
  }, [moves, verb]);
  if (data === undefined || (only !== undefined && verb !== only)) return null;
  const { label, busy } = WORDS[verb];
  const isBusy = moves || change.isPending;
  return (
    <Button isBusy={isBusy} onClick={() => change.mutate()}>
      {isBusy ? busy : label}
    </Button>
  );
}

import { SkeletonRows } from '../../ui/lists/skeleton.tsx';
import { PartError } from './part-error.tsx';

/** Shows bars in the place of a part that is being read, or the error if it could not be read. */
export function LoadingPart({
  error,
  retry,
  rows,
  height,
}: {
  /** Null while the part is being read. */
  error: Error | null;
  retry: () => unknown;
  rows: number;
  height?: string;
}) {
  if (error !== null) return <PartError error={error} retry={() => void retry()} />;
  return <SkeletonRows rows={rows} {...(height === undefined ? {} : { height })} />;
}

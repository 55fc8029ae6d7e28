import { Button } from '../../ui/button.tsx';

/** Reads the next page of a list, if it has one. */
export function NextPageButton({
  list: { hasNextPage, isFetchingNextPage, fetchNextPage },
  label = 'Show older',
  ...button
}: {
  list: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> };
  label?: string;
  kind?: 'quiet';
}) {
  if (!hasNextPage) return null;
  return (
    <Button {...button} isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
      {label}
    </Button>
  );
}

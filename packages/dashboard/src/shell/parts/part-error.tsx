import { problemText } from '../../api/problem-words.ts';
import { ApiProblem } from '../../api/transport.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Notice } from '../../ui/notice.tsx';

/** Shows an error in the place of a part that could not be read or drawn. The rest of the page stays. */
export function PartError({
  error,
  retry,
  reset,
}: {
  error: unknown;
  retry?: () => void;
  reset?: () => void;
}) {
  const again = retry ?? reset;
  const details =
    error instanceof ApiProblem
      ? `${error.status} ${error.code}`
      : error instanceof Error
        ? error.message
        : '';
  return (
    <Notice
      title={problemText(error)}
      action={
        <>
          {again !== undefined && <Button onClick={again}>Try again</Button>}
          {details !== '' && <CopyButton text={`${details}\n${location.pathname}`} label="Copy details" />}
        </>
      }
    >
      {details !== '' && <code>{details}</code>}
    </Notice>
  );
}

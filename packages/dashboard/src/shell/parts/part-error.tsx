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
  const details = detailsOf(error);
  return (
    <Notice
      title={problemText(error)}
      action={
        <>
          {again !== undefined && <Button onClick={again}>Try again</Button>}
          {details !== '' && <CopyButton text={copiedDetails(error, details)} label="Copy details" />}
        </>
      }
    >
      {details !== '' && <code>{details}</code>}
    </Notice>
  );
}

/** Status and code. There is no status if no response arrived. */
function detailsOf(error: unknown): string {
  if (error instanceof ApiProblem) return error.status === 0 ? error.code : `${error.status} ${error.code}`;
  return error instanceof Error ? error.message : '';
}

/** With the page and, for the log of the server, the id of the request. */
function copiedDetails(error: unknown, details: string): string {
  const requestId = error instanceof ApiProblem ? error.requestId : null;
  return [details, location.pathname, requestId].filter((line) => line !== null).join('\n');
}

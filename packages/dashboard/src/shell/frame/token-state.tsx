import { Time } from '../../format/time.tsx';
import { Button } from '../../ui/button.tsx';

interface ListedToken {
  label: string;
  revoked_at: string | null;
  expires_at: string | null;
}

/** The last cell of a token's row: what can be done with it, and when it ends or ended. */
export function TokenState<Token extends ListedToken>({
  token,
  onRotate,
  onRevoke,
}: {
  token: Token;
  onRotate: (token: Token) => void;
  onRevoke: (token: Token) => void;
}) {
  if (token.revoked_at !== null)
    return (
      <>
        revoked <Time iso={token.revoked_at} />
      </>
    );
  return (
    <>
      {token.expires_at === null ? (
        <Button kind="quiet" aria-label={`Rotate ${token.label}`} onClick={() => onRotate(token)}>
          Rotate
        </Button>
      ) : (
        <span>
          ends <Time iso={token.expires_at} form="relative" />
        </span>
      )}
      <Button kind="quiet" aria-label={`Revoke ${token.label}`} onClick={() => onRevoke(token)}>
        Revoke
      </Button>
    </>
  );
}

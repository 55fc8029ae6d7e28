import { unsubscribe } from '@culprit/contract/alerts/personal-messages';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { problemText } from '../api/problem-words.ts';
import { call, codeOf } from '../api/transport.ts';
import { PATTERNS, pathTo } from '../paths.ts';
import linkStyles from '../shell/parts/link.module.css';
import { Entrance } from '../shell/sign-in/entrance.tsx';
import { Button } from '../ui/button.tsx';

const route = getRouteApi(PATTERNS.unsubscribe);

/** The page that the link of a personal mail opens: a mail program that only follows links changes nothing. */
export function UnsubscribePage() {
  const { token = '' } = route.useSearch();
  const stop = useMutation({ mutationFn: () => call(unsubscribe, { body: { token } }) });
  const error =
    codeOf(stop.error) === 'invalid_token'
      ? 'This link is incomplete. Open the link in the mail again.'
      : problemText(stop.error);
  return (
    <Entrance
      title={stop.isSuccess ? 'These mails are stopped' : 'Stop mails about your incidents?'}
      windowTitle="Stop mails"
      error={stop.isError ? error : undefined}
    >
      {stop.isSuccess ? (
        <p>You still get alerts and reports. To get these mails again, enable them in your settings.</p>
      ) : (
        <>
          <p>You no longer get mails about assignments, mentions, notes, regressions and snoozes that end.</p>
          <Button kind="primary" isBusy={stop.isPending} onClick={() => stop.mutate()}>
            Stop these mails
          </Button>
        </>
      )}
      <Link className={linkStyles.link} to={pathTo('settings')}>
        Open settings
      </Link>
    </Entrance>
  );
}

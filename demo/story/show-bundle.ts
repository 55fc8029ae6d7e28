import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import { TYPED_SECRETS } from '../browser/visits.ts';
import { blank, say } from '../report/paper.ts';
import { printBundle } from '../report/print-bundle.ts';
import type { Release } from '../service/announce-release.ts';
import type { ShopProcess } from '../shop/shop-process.ts';
import type { Stage } from './stage.ts';

const REDACTED = [
  'context.request.body.customer.password',
  'context.request.headers.authorization',
  'context.request.headers.cookie',
];
const CONFIDENCE_MIN = 0.8;

/** Prints the bundle, and checks its content. */
export function showBundle(
  { checks }: Stage,
  { bundle, shop, release }: { bundle: DebugBundle; shop: ShopProcess; release: Release },
): void {
  printBundle(bundle);
  const { context, summary, redaction, service } = bundle;
  checks.expect(
    'a likely cause',
    summary.likely_cause?.startsWith('A value expected to be present') === true,
  );
  checks.expect('a recommended action', summary.recommended_action !== null);
  checks.expect(
    `a confidence of at least ${CONFIDENCE_MIN}, not ${summary.confidence}`,
    summary.confidence >= CONFIDENCE_MIN,
  );
  checks.expect(
    "the shop's own code as first frame",
    summary.first_application_frame?.function === 'centsPerKilogram' &&
      (context.error?.top_frames[0] ?? '').startsWith('shop/shipping.ts:'),
  );
  checks.expect('the release in the bundle', service.version === release.version);
  checks.expect('the answer of the shop', context.response?.status_code === 500);
  checks.expect('the address of the request', context.request?.headers.host === new URL(shop.origin).host);
  checks.expect(
    'the logs of the request',
    context.logs?.items.some((item) => item.message === 'Guest checkout without an address') === true,
  );
  checks.expect('the probes of the request', context.probe_data?.items[0]?.label === 'checkout.cart');
  checks.expect(
    "the browser's requests of the same trace",
    context.frontend?.network_requests.some((each) => each.url === '/api/checkout' && each.status === 500) ===
      true,
  );
  checks.expect(
    "the page's error of the same trace",
    context.frontend?.exceptions.some((each) => each.name === 'TypeError') === true,
  );
  for (const path of REDACTED) checks.expect(`${path} is redacted`, redaction.fields.includes(path));
  const document = JSON.stringify(bundle);
  const leaked = TYPED_SECRETS.filter((secret) => document.includes(secret));
  checks.expect('no secret in the bundle', leaked.length === 0);
  blank();
  say(
    'The visitor typed a password, and the page sent an authorization header and a cookie. The library in the shop ' +
      `${leaked.length === 0 ? 'replaced them before anything was sent' : 'FAILED to remove them'}.`,
  );
}

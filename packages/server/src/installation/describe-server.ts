import type { getServer, ServerDescription } from '@culprit/contract/endpoints/server';
import { SERVER_FEATURES } from '@culprit/contract/endpoints/server-features';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import { isLocalCaller } from '../platform/http/server/local-caller.ts';
import type { Runtime } from '../runtime.ts';
import type { ApiRequest } from '../workspace/access/api-callers.ts';
import { NO_PAYMENT_PROVIDER } from '../workspace/billing/payment-provider.ts';

/** `GET /v1/server`: from the settings alone, so that it answers without a database too. */
export function describeServer(
  { version, baseUrl, appUrl, signIn, github, oidc, slackApp, payments, plans, mcp, packages, maps }: Runtime,
  { clientAddress, headers }: ApiRequest<typeof getServer>,
): ServerDescription {
  return {
    version,
    time: formatTimestamp(Date.now()),
    base_url: baseUrl,
    app_url: appUrl,
    auth: {
      email: shownTransport(signIn.mailTransport, isLocalCaller(clientAddress, headers)),
      github: github !== null,
      github_device: github !== null,
      github_exchange: github?.isExchangeOn === true,
      oidc: oidc !== null,
      oidc_name: oidc?.name ?? null,
      email_for: signIn.codesFor,
    },
    signup: signIn.signup,
    terms_url: signIn.termsUrl,
    slack: slackApp !== null,
    payment_provider: payments !== NO_PAYMENT_PROVIDER,
    plan_source: plans.source,
    plan_limits: plans.isEnforced ? 'enforce' : 'off',
    packages: packages.read(),
    features: SERVER_FEATURES.filter(
      (feature) =>
        (feature !== 'mcp' || mcp !== 'off') &&
        (feature !== 'packages' || packages.isOn) &&
        (feature !== 'source_maps' || maps.isOn),
    ),
  };
}

/** Codes in a terminal or in files reach only people at the machine. */
function shownTransport(
  transport: Runtime['signIn']['mailTransport'],
  isLocal: boolean,
): ServerDescription['auth']['email'] {
  if (transport === 'smtp') return 'smtp';
  if (!isLocal) return 'off';
  return transport === 'console' ? 'terminal' : transport;
}

import { getIncidentBundle, getIncidentReproduction } from '@culprit/contract/incidents/incident-bundle';
import type { Binder } from '../../../platform/http/binding/bind-endpoint.ts';
import { RawJson } from '../../../platform/http/binding/raw-json.ts';
import type { Runtime } from '../../../runtime.ts';
import type { ApiCallers } from '../../../workspace/access/api-callers.ts';
import { readBundle, readReproduction } from './read-bundle.ts';

/** The debug bundle of an incident and its reproduction. */
export function bindBundleRoutes(binder: Binder<ApiCallers>, runtime: Runtime): void {
  binder.bind(getIncidentBundle, { rawResponse: true }).to(async ({ access }) => {
    const bundle = await readBundle(runtime, access.recordId);
    if (bundle.kind === 'ready') return { status: 200, body: new RawJson(bundle.bytes) };
    const body =
      bundle.kind === 'pending'
        ? { status: 'pending' as const }
        : { status: 'failed' as const, reason: bundle.reason };
    return { status: 200, body };
  });
  binder.bind(getIncidentReproduction, { rawResponse: true }).to(async ({ access }) => {
    const reproduction = await readReproduction(runtime, access.recordId);
    return { status: 200, body: new RawJson(Buffer.from(JSON.stringify(reproduction))) };
  });
}

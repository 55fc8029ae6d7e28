import { getIncident } from '@culprit/contract/incidents/incidents';
import { lookUpId } from '@culprit/contract/incidents/lookup';
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { client } from '../api/transport.ts';
import { knownSearch, PATTERNS, pathTo } from '../paths.ts';
import { frameRoute } from '../shell/frame/routes.tsx';

const incidentRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: PATTERNS.incident,
  validateSearch: (search) => knownSearch(search, ['event', 'span', 'range']),
  loader: async ({ context: { queryClient }, params: { id } }) => {
    const { bundleQuery, incidentQuery } = await import('../api/incidents.ts');
    void queryClient.prefetchQuery(incidentQuery(id));
    void queryClient.prefetchQuery(bundleQuery(id));
  },
  component: lazyRouteComponent(() => import('./incident-page.tsx'), 'IncidentPage'),
});

/** The address of a short number, which leads to the one by which parts of the page are kept. */
const shortIncidentRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: PATTERNS.shortIncident,
  beforeLoad: async ({ params: { id } }) => {
    const found = await client.call(getIncident, { params: { id } });
    const incidentId = found.ok ? found.body.incident.incident_id : id;
    throw redirect({ href: pathTo('incident', { id: incidentId }), replace: true });
  },
});

/** Addresses that bundles carry: of an incident, whose own endpoint takes their ids too, or of an improvement. */
const bundleRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: PATTERNS.bundle,
  beforeLoad: async ({ params: { id } }) => {
    throw redirect({ href: await placeOf(id), replace: true });
  },
});

const bundleReproductionRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: PATTERNS.bundleReproduction,
  beforeLoad: async ({ params: { id } }) => {
    throw redirect({ href: `${await placeOf(id)}#reproduction`, replace: true });
  },
});

/** The page that shows what a bundle is about; it names what could not be found. */
async function placeOf(id: string): Promise<string> {
  const found = await client.call(lookUpId, { query: { id } });
  const isImprovement = found.ok && found.body.matches[0]?.kind === 'improvement';
  return pathTo(isImprovement ? 'improvement' : 'incident', { id });
}

export const incidentRoutes = [
  incidentRoute,
  shortIncidentRoute,
  bundleRoute,
  bundleReproductionRoute,
] as const;

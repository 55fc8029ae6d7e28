import type { Breadcrumb } from '../../sdk-core/src/options.ts';
import { breadcrumbEntry } from '../../sdk-core/src/trail.ts';
import type { JsonObject } from '../../sdk-core/src/wire.ts';
import type { AddBreadcrumb, Page } from './loaded-page.ts';

const ENTRIES_MAX = 100;

export function createTrail(page: Page): AddBreadcrumb {
  const { options, capture, evidence } = page;
  const max = Math.min(options.maxBreadcrumbs ?? 30, ENTRIES_MAX);
  let trail: JsonObject[] = [];
  evidence.push(() => ({ breadcrumbs: trail }));
  return (given) => {
    let crumb: Breadcrumb | null = given;
    try {
      if (options.beforeBreadcrumb) crumb = options.beforeBreadcrumb(given);
    } catch {}
    if (crumb === null) return;
    const entry: JsonObject = {
      ...breadcrumbEntry(page.startCleaner(), Object(crumb), Date.now()),
      route: page.scopes.route(),
    };
    trail = max ? [...trail, entry].slice(-max) : [];
    if (capture.standaloneBreadcrumbs) {
      const { ts, ...ready } = entry;
      page.event({ type: 'frontend_breadcrumb', payload: {}, ready });
    }
  };
}

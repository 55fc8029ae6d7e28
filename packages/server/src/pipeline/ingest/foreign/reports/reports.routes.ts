import type { ForeignIntake } from '../foreign-intake.ts';
import type { ForeignRoute } from '../foreign-route.ts';
import { createReportIntake } from './report-intake.ts';

/** The addresses of what browsers report by themselves (docs/contract/foreign-protocols.md 9.1). */
export function bindReportRoutes(bind: (...route: ForeignRoute) => void, intake: ForeignIntake): void {
  const accept = createReportIntake(intake);
  for (const name of ['security', 'csp-report']) {
    bind(`/api/:number/${name}`, (request, { number = '' }) => accept(request, number));
  }
  bind('/v1/reports', (request) => accept(request, null));
}

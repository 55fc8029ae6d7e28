import { headerText } from '../../platform/mail/mail.ts';
import { composeMailBody, type MailBlock } from '../../platform/mail/mail-body.ts';
import { figuresOf, incidentText, outcomeOf, type ProjectReport } from './weekly-activity.ts';

/** Local dates: `2026-03-16`. */
export interface ReportDates {
  from: string;
  to: string;
}

const TITLE_LENGTH_MAX = 120;

/** A report on one or more projects, both forms (docs/contract/notifications.md 4.3). */
export function reportMail(
  reports: readonly ProjectReport[],
  dates: ReportDates,
  appUrl: string,
): { subject: string; text: string; html: string } {
  const [first] = reports;
  const what = reports.length === 1 && first !== undefined ? first.projectName : `${reports.length} projects`;
  const title = `Weekly report: ${headerText(what, TITLE_LENGTH_MAX)}, ${dates.from} to ${dates.to}`;
  const body = composeMailBody(title, [
    ...reports.flatMap((report) => section(report, reports.length === 1, appUrl)),
    {
      kind: 'note',
      text: 'You get this because the weekly report of each project above is sent to this address. Its admins can change that.',
    },
  ]);
  return { subject: title, ...body };
}

function section(
  { projectId, projectName, activity }: ProjectReport,
  isOnly: boolean,
  appUrl: string,
): MailBlock[] {
  const url = projectLink(projectId, appUrl);
  const incidents: MailBlock[] =
    activity.incidents.length === 0
      ? []
      : [
          { kind: 'text', text: 'Incidents to look at:' },
          {
            kind: 'links',
            items: activity.incidents.map((incident) => ({
              label: headerText(incident.title, TITLE_LENGTH_MAX),
              url: `${appUrl}/incidents/${incident.incidentId}`,
              note: incidentText(incident),
            })),
          },
        ];
  return [
    ...(isOnly ? [] : [{ kind: 'heading', text: headerText(projectName, TITLE_LENGTH_MAX) } as const]),
    { kind: 'text', text: outcomeOf(activity) },
    { kind: 'facts', rows: figuresOf(activity).map(({ label, count }) => ({ label, value: count })) },
    ...incidents,
    // One button a message.
    { kind: isOnly ? 'button' : 'link', label: 'Open overview', url },
  ];
}

export function projectLink(projectId: string, appUrl: string): string {
  return `${appUrl}/projects/${projectId}`;
}

import type { Table } from '../table.ts';

export const TICKET_TABLES: readonly Table[] = [
  {
    name: 'note_comments',
    purge: ['by_incident'],
    retention: 'with_its_incident',
    exported: 'Which notes crossed to tickets; the notes themselves are exported',
  },
  {
    name: 'unlinked_tickets',
    purge: ['by_incident'],
    isKeyedByProject: true,
    retention: 'with_its_incident',
    exported: 'Tickets that are still to say that their link was removed; they are not ours',
  },
  {
    name: 'incident_links',
    purge: ['by_incident'],
    retention: 'with_its_incident',
    exported: [
      {
        kind: 'incident_links',
        scope: 'project',
        key: 'link_id',
        columns: `link_id, project_id, incident_id, tracker_id, key, url, title, state, state_name, assignee_name,
          sync, notes_since, created_by_user_id, created_at`,
        from: 'incident_links where project_id = $1',
      },
    ],
  },
];

import { addWords } from './problem-words.ts';

// The errors of the requests of the frame and the list of incidents, besides those of every request.
addWords({
  upgrade_required: "The organization's plan does not include this.",
  project_not_found: 'This project does not exist, or you cannot see it.',
  release_unknown: 'No event of this service had a release in the last 90 days, so there is no next release.',
  incident_not_found: 'This incident does not exist, or you cannot see it. Its retention may have ended.',
  event_not_found: 'This event does not belong to the incident, or its retention has ended.',
  incidents_of_different_services: 'Only incidents of one service can be merged.',
  service_not_found: 'This service no longer exists.',
  monthly_quota_exceeded: "This month's allowance is used up.",
});

import { listAlertDeliveries, testAlert } from '../alerts/alert-deliveries.ts';
import { listAlertVerdicts, listRuleVerdicts } from '../alerts/alert-verdicts.ts';
import { createAlert, deleteAlert, listAlerts, previewAlert, updateAlert } from '../alerts/alerts.ts';
import { getPersonalSettings, unsubscribe, updatePersonalSettings } from '../alerts/personal-messages.ts';
import {
  deleteSlackDestination,
  finishSlackInstall,
  getSlackInstallUrl,
  listSlackDestinations,
  testSlackDestination,
} from '../alerts/slack.ts';
import {
  createTracker,
  createTrackerHook,
  deleteTracker,
  installTrackerHook,
  listTrackerFields,
  listTrackers,
  listTrackerTargets,
  listTrackerTickets,
  testTracker,
  updateTracker,
} from '../alerts/trackers.ts';
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  getWebhookDelivery,
  listWebhookDeliveries,
  listWebhooks,
  retryWebhookDelivery,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
} from '../alerts/webhooks.ts';
import {
  createWeeklyReportChannel,
  deleteWeeklyReportChannel,
  listWeeklyReportChannels,
  sendWeeklyReport,
  updateWeeklyReportChannel,
} from '../alerts/weekly-reports.ts';
import { getCapturePolicy, updateCapturePolicy } from '../capture/capture-policy.ts';
import { previewCapture } from '../capture/capture-preview.ts';
import {
  createCaptureRule,
  createSuggestedCaptureRule,
  deleteCaptureRule,
  listCaptureRules,
  suggestCaptureRules,
  updateCaptureRule,
} from '../capture/capture-rules.ts';
import { activateProbe, deactivateProbe, listProbes } from '../capture/probes.ts';
import { createDsnKey, listDsnKeys, revokeDsnKey, updateDsnKey } from '../events/dsn-keys.ts';
import { listEventFates } from '../events/event-fates.ts';
import { postEvents } from '../events/events.ts';
import { listProbeResults, tailEvents } from '../events/recent-events.ts';
import { getSdkConfig } from '../events/sdk-config.ts';
import { previewGrouping } from '../incidents/grouping-preview.ts';
import {
  getImprovement,
  getImprovementBundle,
  getImprovementSettings,
  listImprovements,
  reopenImprovement,
  resolveImprovement,
  snoozeImprovement,
  updateImprovementSettings,
} from '../incidents/improvements.ts';
import { getIncidentActivity } from '../incidents/incident-activity.ts';
import { getIncidentBundle, getIncidentReproduction } from '../incidents/incident-bundle.ts';
import { getIncidentEvent } from '../incidents/incident-events.ts';
import { createFix, deleteFix, listFixes } from '../incidents/incident-fixes.ts';
import { getIncidentGrouping, mergeIncidents, splitIncident } from '../incidents/incident-grouping.ts';
import { getIncidentHistory } from '../incidents/incident-history.ts';
import { createLink, deleteLink, listLinks, refreshLink, updateLink } from '../incidents/incident-links.ts';
import { createNote, deleteNote, listNotes, updateNote } from '../incidents/incident-notes.ts';
import { listSimilarIncidents } from '../incidents/incident-similar.ts';
import {
  previewSnooze,
  snoozeIncident,
  snoozeIncidents,
  wakeIncident,
  wakeIncidents,
} from '../incidents/incident-snooze.ts';
import { listIncidentTags, listIncidentTagValues, listProjectTags } from '../incidents/incident-tags.ts';
import { updateIncident, updateIncidents } from '../incidents/incident-triage.ts';
import { getIncidentWatch, unwatchIncident, watchIncident } from '../incidents/incident-watch.ts';
import {
  countIncidents,
  getIncident,
  listIncidents,
  reopenIncident,
  reopenIncidents,
  resolveIncident,
  resolveIncidents,
} from '../incidents/incidents.ts';
import { listLifecycle } from '../incidents/lifecycle.ts';
import { listIncidentLogs, listLogs } from '../incidents/logs.ts';
import { lookUpId } from '../incidents/lookup.ts';
import { getIncidentOccurrences, getProjectOccurrences } from '../incidents/occurrences.ts';
import { applyRegrouping, listRegroupings, undoRegrouping } from '../incidents/regroupings.ts';
import { getServiceActivity } from '../incidents/service-activity.ts';
import { listServices } from '../incidents/services.ts';
import {
  createAvailabilityCheck,
  deleteAvailabilityCheck,
  getAvailabilityCheck,
  listAvailabilityChecks,
  listAvailabilityResults,
  testAvailabilityTarget,
  updateAvailabilityCheck,
} from '../monitor/availability-checks.ts';
import { getCheckLatency, listCheckDays, listDailyRollups } from '../monitor/check-history.ts';
import {
  createHeartbeat,
  deleteHeartbeat,
  getHeartbeat,
  listHeartbeatDays,
  listHeartbeatRuns,
  listHeartbeats,
  rotateHeartbeatKey,
  updateHeartbeat,
} from '../monitor/heartbeats.ts';
import { listDeployments } from '../releases/deployments.ts';
import {
  beginMapUpload,
  finishMapUpload,
  getMapUpload,
  listMapUploads,
  putMapPart,
} from '../releases/map-uploads.ts';
import {
  createRelease,
  deleteRelease,
  getRelease,
  getReleaseActivity,
  listReleaseIncidents,
  listReleases,
} from '../releases/releases.ts';
import {
  deleteSourceMap,
  explainFrame,
  getSourceMap,
  listMissingMaps,
  listSourceMaps,
} from '../releases/source-maps.ts';
import { readIncidentQuery } from '../search/query-reading.ts';
import { createView, deleteView, listViews, updateView } from '../search/views.ts';
import { listProjectClients } from '../setup/clients.ts';
import {
  confirmEmailChange,
  deleteAccount,
  exportAccount,
  requestDeletionCode,
  requestEmailChange,
} from '../workspace/account.ts';
import {
  cancelReduction,
  confirmCheckout,
  createCheckout,
  getBilling,
  increaseCapacity,
  openBillingPortal,
  scheduleReduction,
  startTrial,
} from '../workspace/billing.ts';
import {
  approveCliSignIn,
  claimCliSignIn,
  denyCliSignIn,
  pollCliSignIn,
  readCliSignIn,
  startCliSignIn,
} from '../workspace/cli-sign-in.ts';
import {
  claimDeviceRequest,
  exchangeGithubToken,
  finishGithubSignIn,
  pollDeviceRequest,
  startDeviceRequest,
  startGithubSignIn,
} from '../workspace/github.ts';
import { createGroupGrant, deleteGroupGrant, listGroupGrants } from '../workspace/group-grants.ts';
import {
  acceptInvite,
  acceptInviteAlias,
  cancelInvite,
  invitePerson,
  listInvites,
  readInvite,
} from '../workspace/invites.ts';
import { changeMemberRole, leaveProject, listMembers, removeMember } from '../workspace/members.ts';
import { finishOidcSignIn, logOutByProvider, startOidcSignIn } from '../workspace/oidc.ts';
import { getOperatorHealth, listDeadLetters, retryDeadLetters } from '../workspace/operator.ts';
import { applyOwnership, getOwnership, previewOwnership, saveOwnership } from '../workspace/ownership.ts';
import { listPeople, updateProfile } from '../workspace/people.ts';
import {
  createProject,
  deleteProject,
  getProject,
  listProjects,
  updateProject,
} from '../workspace/projects.ts';
import { addSampleData, getSampleData, removeSampleData } from '../workspace/sample-data.ts';
import {
  endOwnSession,
  getSession,
  listSessions,
  logOut,
  requestSignInCode,
  verifySignInCode,
} from '../workspace/sign-in.ts';
import {
  addTeamMember,
  createTeam,
  deleteTeam,
  listTeams,
  removeTeamMember,
  updateTeam,
} from '../workspace/teams.ts';
import {
  createMemberToken,
  createProjectToken,
  listMemberTokens,
  listProjectTokens,
  revokeMemberToken,
  revokeProjectToken,
  rotateMemberToken,
  rotateProjectToken,
} from '../workspace/tokens.ts';
import type { Endpoint } from './endpoint.ts';
import { getHealth, getLive, getReady } from './health.ts';
import { getServer } from './server.ts';
import { streamChanges } from './stream.ts';

/** Every endpoint of the service, in the order of the reference. A server that does not bind one of them does not start. */
export const api: readonly Endpoint[] = [
  postEvents,
  getSdkConfig,

  listIncidents,
  countIncidents,
  readIncidentQuery,
  getIncidentActivity,
  getIncident,
  resolveIncident,
  reopenIncident,
  resolveIncidents,
  updateIncident,
  updateIncidents,
  snoozeIncident,
  snoozeIncidents,
  wakeIncident,
  wakeIncidents,
  previewSnooze,
  listViews,
  createView,
  updateView,
  deleteView,
  listNotes,
  createNote,
  updateNote,
  deleteNote,
  getIncidentWatch,
  watchIncident,
  unwatchIncident,
  listFixes,
  createFix,
  deleteFix,
  listLinks,
  createLink,
  updateLink,
  refreshLink,
  deleteLink,
  reopenIncidents,
  getIncidentOccurrences,
  getProjectOccurrences,
  getIncidentHistory,
  listIncidentTags,
  listIncidentTagValues,
  listProjectTags,
  listSimilarIncidents,
  getIncidentGrouping,
  mergeIncidents,
  splitIncident,
  listIncidentLogs,
  listLogs,
  getIncidentEvent,
  lookUpId,
  getIncidentBundle,
  getIncidentReproduction,
  suggestCaptureRules,
  createSuggestedCaptureRule,

  listLifecycle,
  streamChanges,

  listImprovements,
  getImprovement,
  resolveImprovement,
  reopenImprovement,
  snoozeImprovement,
  getImprovementBundle,
  getImprovementSettings,
  updateImprovementSettings,

  getCapturePolicy,
  updateCapturePolicy,
  previewCapture,
  previewGrouping,
  listRegroupings,
  applyRegrouping,
  undoRegrouping,
  listCaptureRules,
  createCaptureRule,
  updateCaptureRule,
  deleteCaptureRule,

  listServices,
  listProjectClients,
  getServiceActivity,
  listDeployments,
  listReleases,
  createRelease,
  getRelease,
  listReleaseIncidents,
  getReleaseActivity,
  deleteRelease,
  listEventFates,
  tailEvents,

  listProjects,
  createProject,
  getProject,
  updateProject,
  deleteProject,
  getSampleData,
  addSampleData,
  removeSampleData,

  listGroupGrants,
  createGroupGrant,
  deleteGroupGrant,
  listMembers,
  getOwnership,
  saveOwnership,
  previewOwnership,
  applyOwnership,
  listPeople,
  listTeams,
  createTeam,
  updateTeam,
  deleteTeam,
  addTeamMember,
  removeTeamMember,
  changeMemberRole,
  removeMember,
  leaveProject,
  listInvites,
  invitePerson,
  cancelInvite,
  readInvite,
  acceptInvite,
  acceptInviteAlias,

  listProbes,
  activateProbe,
  deactivateProbe,
  listProbeResults,

  getSlackInstallUrl,
  finishSlackInstall,
  listSlackDestinations,
  testSlackDestination,
  deleteSlackDestination,
  listAlerts,
  createAlert,
  updateAlert,
  deleteAlert,
  previewAlert,
  testAlert,
  listAlertDeliveries,
  listAlertVerdicts,
  listRuleVerdicts,

  listHeartbeats,
  createHeartbeat,
  getHeartbeat,
  updateHeartbeat,
  deleteHeartbeat,
  rotateHeartbeatKey,
  listHeartbeatDays,
  listHeartbeatRuns,
  listAvailabilityChecks,
  createAvailabilityCheck,
  getAvailabilityCheck,
  updateAvailabilityCheck,
  deleteAvailabilityCheck,
  testAvailabilityTarget,
  listAvailabilityResults,
  listDailyRollups,
  listCheckDays,
  getCheckLatency,

  listTrackers,
  listTrackerFields,
  listTrackerTargets,
  listTrackerTickets,
  createTracker,
  updateTracker,
  deleteTracker,
  testTracker,
  createTrackerHook,
  installTrackerHook,

  listWebhooks,
  createWebhook,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  testWebhook,
  rotateWebhookSecret,
  listWebhookDeliveries,
  getWebhookDelivery,
  retryWebhookDelivery,

  listSourceMaps,
  getSourceMap,
  deleteSourceMap,
  listMissingMaps,
  explainFrame,
  beginMapUpload,
  putMapPart,
  finishMapUpload,
  getMapUpload,
  listMapUploads,

  listWeeklyReportChannels,
  createWeeklyReportChannel,
  updateWeeklyReportChannel,
  deleteWeeklyReportChannel,
  sendWeeklyReport,

  requestSignInCode,
  verifySignInCode,
  getSession,
  logOut,

  startGithubSignIn,
  finishGithubSignIn,
  startOidcSignIn,
  finishOidcSignIn,
  logOutByProvider,
  startDeviceRequest,
  pollDeviceRequest,
  claimDeviceRequest,
  exchangeGithubToken,
  startCliSignIn,
  pollCliSignIn,
  claimCliSignIn,
  readCliSignIn,
  approveCliSignIn,
  denyCliSignIn,

  listProjectTokens,
  createProjectToken,
  revokeProjectToken,
  rotateProjectToken,
  listDsnKeys,
  createDsnKey,
  updateDsnKey,
  revokeDsnKey,
  listMemberTokens,
  createMemberToken,
  revokeMemberToken,
  rotateMemberToken,

  listSessions,
  endOwnSession,
  requestEmailChange,
  confirmEmailChange,
  exportAccount,
  updateProfile,
  getPersonalSettings,
  updatePersonalSettings,
  unsubscribe,
  requestDeletionCode,
  deleteAccount,

  getBilling,
  startTrial,
  increaseCapacity,
  scheduleReduction,
  cancelReduction,
  createCheckout,
  confirmCheckout,
  openBillingPortal,

  getServer,
  getOperatorHealth,
  listDeadLetters,
  retryDeadLetters,
  getHealth,
  getLive,
  getReady,
];

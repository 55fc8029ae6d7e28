import {
  confirmEmailChange,
  deleteAccount,
  exportAccount,
  requestDeletionCode,
  requestEmailChange,
} from './account.ts';
import { listAlertVerdicts } from './alert-verdicts.ts';
import {
  createAlert,
  deleteAlert,
  listAlertDeliveries,
  listAlerts,
  previewAlert,
  testAlert,
  updateAlert,
} from './alerts.ts';
import {
  createAvailabilityCheck,
  deleteAvailabilityCheck,
  getAvailabilityCheck,
  listAvailabilityChecks,
  listAvailabilityResults,
  testAvailabilityTarget,
  updateAvailabilityCheck,
} from './availability-checks.ts';
import {
  cancelReduction,
  confirmCheckout,
  createCheckout,
  getBilling,
  increaseCapacity,
  openBillingPortal,
  scheduleReduction,
  startTrial,
} from './billing.ts';
import { getCapturePolicy, updateCapturePolicy } from './capture-policy.ts';
import { previewCapture } from './capture-preview.ts';
import {
  createCaptureRule,
  createSuggestedCaptureRule,
  deleteCaptureRule,
  listCaptureRules,
  suggestCaptureRules,
  updateCaptureRule,
} from './capture-rules.ts';
import { getCheckLatency, listCheckDays, listDailyRollups } from './check-history.ts';
import {
  approveCliSignIn,
  claimCliSignIn,
  denyCliSignIn,
  pollCliSignIn,
  readCliSignIn,
  startCliSignIn,
} from './cli-sign-in.ts';
import { listProjectClients } from './clients.ts';
import { listDeployments } from './deployments.ts';
import { createDsnKey, listDsnKeys, revokeDsnKey, updateDsnKey } from './dsn-keys.ts';
import type { Endpoint } from './endpoint.ts';
import { listEventFates } from './event-fates.ts';
import { postEvents } from './events.ts';
import {
  claimDeviceRequest,
  exchangeGithubToken,
  finishGithubSignIn,
  pollDeviceRequest,
  startDeviceRequest,
  startGithubSignIn,
} from './github.ts';
import { createGroupGrant, deleteGroupGrant, listGroupGrants } from './group-grants.ts';
import { previewGrouping } from './grouping-preview.ts';
import { getHealth, getLive, getReady } from './health.ts';
import {
  createHeartbeat,
  deleteHeartbeat,
  getHeartbeat,
  listHeartbeatDays,
  listHeartbeatRuns,
  listHeartbeats,
  rotateHeartbeatKey,
  updateHeartbeat,
} from './heartbeats.ts';
import {
  getImprovement,
  getImprovementBundle,
  getImprovementSettings,
  listImprovements,
  reopenImprovement,
  resolveImprovement,
  snoozeImprovement,
  updateImprovementSettings,
} from './improvements.ts';
import { getIncidentActivity } from './incident-activity.ts';
import { getIncidentBundle, getIncidentReproduction } from './incident-bundle.ts';
import { getIncidentEvent } from './incident-events.ts';
import { createFix, deleteFix, listFixes } from './incident-fixes.ts';
import { getIncidentGrouping, mergeIncidents, splitIncident } from './incident-grouping.ts';
import { getIncidentHistory } from './incident-history.ts';
import { createLink, deleteLink, listLinks, refreshLink } from './incident-links.ts';
import { createNote, deleteNote, listNotes, updateNote } from './incident-notes.ts';
import { listSimilarIncidents } from './incident-similar.ts';
import {
  previewSnooze,
  snoozeIncident,
  snoozeIncidents,
  wakeIncident,
  wakeIncidents,
} from './incident-snooze.ts';
import { listIncidentTags, listIncidentTagValues, listProjectTags } from './incident-tags.ts';
import { updateIncident, updateIncidents } from './incident-triage.ts';
import { getIncidentWatch, unwatchIncident, watchIncident } from './incident-watch.ts';
import {
  countIncidents,
  getIncident,
  listIncidents,
  reopenIncident,
  reopenIncidents,
  resolveIncident,
  resolveIncidents,
} from './incidents.ts';
import {
  acceptInvite,
  acceptInviteAlias,
  cancelInvite,
  invitePerson,
  listInvites,
  readInvite,
} from './invites.ts';
import { listLifecycle } from './lifecycle.ts';
import { listIncidentLogs, listLogs } from './logs.ts';
import { lookUpId } from './lookup.ts';
import { changeMemberRole, leaveProject, listMembers, removeMember } from './members.ts';
import { getIncidentOccurrences, getProjectOccurrences } from './occurrences.ts';
import { finishOidcSignIn, logOutByProvider, startOidcSignIn } from './oidc.ts';
import { getOperatorHealth, listDeadLetters, retryDeadLetters } from './operator.ts';
import { applyOwnership, getOwnership, previewOwnership, saveOwnership } from './ownership.ts';
import { listPeople, updateProfile } from './people.ts';
import { getPersonalSettings, unsubscribe, updatePersonalSettings } from './personal-messages.ts';
import { activateProbe, deactivateProbe, listProbes } from './probes.ts';
import { createProject, deleteProject, getProject, listProjects, updateProject } from './projects.ts';
import { readIncidentQuery } from './query-reading.ts';
import { listProbeResults, tailEvents } from './recent-events.ts';
import { applyRegrouping, listRegroupings, undoRegrouping } from './regroupings.ts';
import {
  createRelease,
  deleteRelease,
  getRelease,
  getReleaseActivity,
  listReleaseIncidents,
  listReleases,
} from './releases.ts';
import { getSdkConfig } from './sdk-config.ts';
import { getServer } from './server.ts';
import { getServiceActivity } from './service-activity.ts';
import { listServices } from './services.ts';
import {
  endOwnSession,
  getSession,
  listSessions,
  logOut,
  requestSignInCode,
  verifySignInCode,
} from './sign-in.ts';
import {
  deleteSlackDestination,
  finishSlackInstall,
  getSlackInstallUrl,
  listSlackDestinations,
  testSlackDestination,
} from './slack.ts';
import {
  beginMapUpload,
  deleteSourceMap,
  explainFrame,
  finishMapUpload,
  getMapUpload,
  getSourceMap,
  listMapUploads,
  listMissingMaps,
  listSourceMaps,
  putMapPart,
} from './source-maps.ts';
import { streamChanges } from './stream.ts';
import { addTeamMember, createTeam, deleteTeam, listTeams, removeTeamMember, updateTeam } from './teams.ts';
import {
  createMemberToken,
  createProjectToken,
  listMemberTokens,
  listProjectTokens,
  revokeMemberToken,
  revokeProjectToken,
  rotateMemberToken,
  rotateProjectToken,
} from './tokens.ts';
import {
  createTracker,
  createTrackerHook,
  deleteTracker,
  listTrackers,
  listTrackerTargets,
  testTracker,
  updateTracker,
} from './trackers.ts';
import { createView, deleteView, listViews, updateView } from './views.ts';
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
} from './webhooks.ts';
import {
  createWeeklyReportChannel,
  deleteWeeklyReportChannel,
  listWeeklyReportChannels,
  sendWeeklyReport,
  updateWeeklyReportChannel,
} from './weekly-reports.ts';

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
  listTrackerTargets,
  createTracker,
  updateTracker,
  deleteTracker,
  testTracker,
  createTrackerHook,

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

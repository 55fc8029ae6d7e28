import { deleteAccount, exportAccount, requestDeletionCode } from './account.ts';
import { createAlert, deleteAlert, listAlerts, updateAlert } from './alerts.ts';
import {
  createAvailabilityCheck,
  deleteAvailabilityCheck,
  getAvailabilityCheck,
  listAvailabilityChecks,
  listAvailabilityResults,
  listDailyRollups,
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
import {
  createCaptureRule,
  createSuggestedCaptureRule,
  deleteCaptureRule,
  listCaptureRules,
  suggestCaptureRules,
  updateCaptureRule,
} from './capture-rules.ts';
import type { Endpoint } from './endpoint.ts';
import { postEvents } from './events.ts';
import {
  claimDeviceRequest,
  exchangeGithubToken,
  finishGithubSignIn,
  pollDeviceRequest,
  startDeviceRequest,
  startGithubSignIn,
} from './github.ts';
import { getHealth, getLive, getReady } from './health.ts';
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
import { getIncidentBundle, getIncidentReproduction } from './incident-bundle.ts';
import {
  getIncident,
  listIncidents,
  reopenIncident,
  reopenIncidents,
  resolveIncident,
  resolveIncidents,
} from './incidents.ts';
import { acceptInvite, acceptInviteAlias, cancelInvite, invitePerson, listInvites } from './invites.ts';
import { listIncidentLogs, listLogs } from './logs.ts';
import { changeMemberRole, leaveProject, listMembers, removeMember } from './members.ts';
import { activateProbe, deactivateProbe, listProbes } from './probes.ts';
import { createProject, deleteProject, getProject, listProjects, updateProject } from './projects.ts';
import { getSdkConfig } from './sdk-config.ts';
import { listServices } from './services.ts';
import { getSession, logOut, requestSignInCode, verifySignInCode } from './sign-in.ts';
import {
  deleteSlackDestination,
  finishSlackInstall,
  getSlackInstallUrl,
  listSlackDestinations,
  testSlackDestination,
} from './slack.ts';
import {
  createMemberToken,
  createProjectToken,
  listMemberTokens,
  listProjectTokens,
  revokeMemberToken,
  revokeProjectToken,
} from './tokens.ts';
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhookDeliveries,
  listWebhooks,
  retryWebhookDelivery,
  testWebhook,
  updateWebhook,
} from './webhooks.ts';
import {
  createWeeklyReportChannel,
  deleteWeeklyReportChannel,
  listWeeklyReportChannels,
  updateWeeklyReportChannel,
} from './weekly-reports.ts';

/** Every endpoint of the service, in the order of the reference. A server that does not bind one of them does not start. */
export const api: readonly Endpoint[] = [
  postEvents,
  getSdkConfig,

  listIncidents,
  getIncident,
  resolveIncident,
  reopenIncident,
  resolveIncidents,
  reopenIncidents,
  listIncidentLogs,
  listLogs,
  getIncidentBundle,
  getIncidentReproduction,
  suggestCaptureRules,
  createSuggestedCaptureRule,

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
  listCaptureRules,
  createCaptureRule,
  updateCaptureRule,
  deleteCaptureRule,

  listServices,

  listProjects,
  createProject,
  getProject,
  updateProject,
  deleteProject,

  listMembers,
  changeMemberRole,
  removeMember,
  leaveProject,
  listInvites,
  invitePerson,
  cancelInvite,
  acceptInvite,
  acceptInviteAlias,

  listProbes,
  activateProbe,
  deactivateProbe,

  getSlackInstallUrl,
  finishSlackInstall,
  listSlackDestinations,
  testSlackDestination,
  deleteSlackDestination,
  listAlerts,
  createAlert,
  updateAlert,
  deleteAlert,

  listAvailabilityChecks,
  createAvailabilityCheck,
  getAvailabilityCheck,
  updateAvailabilityCheck,
  deleteAvailabilityCheck,
  testAvailabilityTarget,
  listAvailabilityResults,
  listDailyRollups,

  listWebhooks,
  createWebhook,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  testWebhook,
  listWebhookDeliveries,
  retryWebhookDelivery,

  listWeeklyReportChannels,
  createWeeklyReportChannel,
  updateWeeklyReportChannel,
  deleteWeeklyReportChannel,

  requestSignInCode,
  verifySignInCode,
  getSession,
  logOut,

  startGithubSignIn,
  finishGithubSignIn,
  startDeviceRequest,
  pollDeviceRequest,
  claimDeviceRequest,
  exchangeGithubToken,

  listProjectTokens,
  createProjectToken,
  revokeProjectToken,
  listMemberTokens,
  createMemberToken,
  revokeMemberToken,

  exportAccount,
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

  getHealth,
  getLive,
  getReady,
];

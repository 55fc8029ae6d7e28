/** The guard of a deployment: collaborators of one project, those invited included (docs/contract/incidents.md 7.5). */
export const COLLABORATORS_MAX = 500;

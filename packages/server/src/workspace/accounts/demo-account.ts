/** The account that owns the demo's project when the demo runs before anyone has signed in. */
export const DEMO_EMAIL = 'demo@example.test';

import { addWords } from './problem-words.ts';

// The sign-in page alone says why a provider sent the browser back.
addWords({
  github_cancelled: 'Signing in with GitHub was cancelled. Try again, or sign in with a code.',
  github_email_missing: 'GitHub gave no verified address. Verify one there, or sign in with a code.',
  github_identity_conflict: 'This GitHub account belongs to another account here. Sign in with a code.',
  github_unavailable: 'GitHub did not answer. Try again, or sign in with a code.',
  oidc_cancelled: 'The sign-in was cancelled at the provider. Try again, or sign in with a code.',
  oidc_email_missing:
    'The provider gave no verified address. Ask its administrator to verify yours, or sign in with a code.',
  oidc_group_required: 'Your account at the provider is in none of the groups that can sign in here.',
  oidc_identity_conflict: 'Your address belongs to another account here. Sign in with a code.',
  oidc_unavailable: 'The sign-in provider did not answer as expected. Try again, or sign in with a code.',
});

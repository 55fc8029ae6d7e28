import { useQueryClient } from '@tanstack/react-query';
import { Dialog } from '../../ui/layers/dialog.tsx';
import { SignInForm } from './sign-in-form.tsx';

/** Signing in again over the page, so that nothing typed is lost. */
export function SessionEnded({ isOver }: { isOver: boolean }) {
  const queryClient = useQueryClient();
  return (
    <Dialog title="The session has ended" isOpen={isOver} onClose={() => {}} isSticky>
      <p>Sign in again. This page stays open.</p>
      <SignInForm
        isOverPage
        onSignedIn={() => {
          void queryClient.invalidateQueries();
        }}
      />
    </Dialog>
  );
}

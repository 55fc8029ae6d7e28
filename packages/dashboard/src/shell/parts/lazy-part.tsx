import { Component, type ReactNode, Suspense } from 'react';
import { showToast } from './toasts.tsx';

/** A part that is loaded when it is first wanted. Where it cannot be, that is said, and the rest of the page stays. */
export class LazyPart extends Component<{ children: ReactNode }, { isLost: boolean }> {
  override state = { isLost: false };

  static getDerivedStateFromError(): { isLost: boolean } {
    return { isLost: true };
  }

  override componentDidCatch(): void {
    showToast('This part could not be loaded.', {
      lastsMs: null,
      action: { label: 'Reload', onChoose: () => location.reload() },
    });
  }

  override render(): ReactNode {
    return this.state.isLost ? null : <Suspense>{this.props.children}</Suspense>;
  }
}

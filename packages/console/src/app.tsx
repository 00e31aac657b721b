import type { FunctionComponent } from 'preact'
import { LocationProvider, useLocation } from 'preact-iso'
import { ProblemNotice, Skeleton } from './components/query-view.tsx'
import { Toasts } from './components/toasts.tsx'
import { Invitation } from './entry/invitation.tsx'
import { NewPassword } from './entry/new-password.tsx'
import { SignIn } from './entry/sign-in.tsx'
import { SessionProvider } from './platform/session-provider.tsx'
import { useSessionState } from './platform/session.tsx'
import { type EntryPage as EntryPageName, entryPageOf } from './shell/entry-page.ts'
import { Shell } from './shell/shell.tsx'

/** The console. */
export function App() {
  return (
    <LocationProvider scope="/console">
      <SessionProvider>
        <EntryPage />
      </SessionProvider>
      <Toasts />
    </LocationProvider>
  )
}

/**
 * The page before all others: sign-in and similar steps. The URL does not change, so that after the sign-in the
 * requested page opens.
 */
function EntryPage() {
  const { path } = useLocation()
  const { state } = useSessionState()
  const CurrentPage = entryPages[entryPageOf(path, state)]
  return <CurrentPage />
}

const entryPages: Readonly<Record<EntryPageName, FunctionComponent>> = {
  waiting: () => <Skeleton lines={3} />,
  failed: Failed,
  invitation: Invitation,
  'sign-in': SignIn,
  'new-password': NewPassword,
  open: Shell,
}

function Failed() {
  const { state, reload } = useSessionState()
  return (
    <main class="centered">
      {state.kind === 'failed' && <ProblemNotice problem={state.problem} retry={reload} />}
    </main>
  )
}

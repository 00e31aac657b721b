import type { FunctionComponent } from 'preact'
import { LocationProvider, useLocation } from 'preact-iso'
import { ProblemNotice, Skeleton } from './components/query-view.tsx'
import { Toasts } from './components/toasts.tsx'
import { Invitation } from './entry/invitation.tsx'
import { NewPassword } from './entry/new-password.tsx'
import { SignIn } from './entry/sign-in.tsx'
import { SessionProvider, useSessionState } from './platform/session.tsx'
import { type Entrance as EntranceName, entranceOf } from './shell/entry-page.ts'
import { Shell } from './shell/shell.tsx'

/** The console. */
export function App() {
  return (
    <LocationProvider scope="/console">
      <SessionProvider>
        <Entrance />
      </SessionProvider>
      <Toasts />
    </LocationProvider>
  )
}

/**
 * The page before all others: sign-in and similar steps. The URL does not change, so that after the sign-in the
 * requested page opens.
 */
function Entrance() {
  const { path } = useLocation()
  const { state } = useSessionState()
  const Shown = entrances[entranceOf(path, state)]
  return <Shown />
}

const entrances: Readonly<Record<EntranceName, FunctionComponent>> = {
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
    <main class="alone">
      {state.kind === 'failed' && <ProblemNotice problem={state.problem} retry={reload} />}
    </main>
  )
}

import { useState } from 'preact/hooks'
import { TextField } from '../form/fields.tsx'
import { Form } from '../form/form.tsx'
import { password, text } from '../form/values.ts'
import { bodyOf, platform } from '../platform/client.ts'
import { useSessionState } from '../platform/session.tsx'
import { useQuery } from '../platform/use-query.ts'
import { CenteredPage } from './centered-page.tsx'

const descriptions = {
  'session-ended': 'Your session has ended. Sign in to continue.',
  'recent-sign-in': 'Sign in again, then repeat the change.',
} as const

/** The sign-in page. */
export function SignIn() {
  const { state, signIn } = useSessionState()
  const options = useQuery(() => bodyOf(platform.GET('/v1/sign-in-options/')), [])
  const reason = state.kind === 'signed-out' ? state.reason : undefined
  const [hasFailed] = useState(consumeFailure)
  const oidc = options.data?.oidc
  return (
    <CenteredPage title="Sign in" description={reason && descriptions[reason]}>
      <div class="stack">
        {hasFailed && (
          <p class="notice is-bad" role="alert">
            Sign-in with {oidc?.name ?? 'the identity provider'} failed. Try again, or contact your
            administrator.
          </p>
        )}
        <Form
          submit="Sign in"
          isWide
          onSubmit={async (values) => {
            const body = { email: text(values, 'email'), password: password(values, 'password') }
            signIn(await bodyOf(platform.POST('/v1/session/', { body })))
          }}
        >
          <TextField name="email" label="E-mail" type="email" autoComplete="username" required />
          <TextField
            name="password"
            label="Password"
            type="password"
            autoComplete="current-password"
            required
          />
        </Form>
        {oidc && (
          <a
            class="button is-wide"
            href={reason === 'recent-sign-in' ? `${oidc.url}?prompt=login` : oidc.url}
            target="_top"
          >
            Sign in with {oidc.name}
          </a>
        )}
      </div>
    </CenteredPage>
  )
}

// The gateway sets this fragment when the sign-in through the identity provider fails. It is removed, so that a reload
// starts again.
function consumeFailure(): boolean {
  if (location.hash !== '#sign-in-failed') return false
  history.replaceState(null, '', location.pathname)
  return true
}

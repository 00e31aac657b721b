import { useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'
import { TextField } from '../form/fields.tsx'
import { Form } from '../form/form.tsx'
import { password, text } from '../form/values.ts'
import { bodyOf, platform } from '../platform/client.ts'
import { useSessionState } from '../platform/session.tsx'
import { CenteredPage } from './centered-page.tsx'
import { minimumPasswordLength } from './password-rule.ts'

/** Creates an account from an invitation. */
export function Invitation() {
  const { route } = useLocation()
  const { signIn } = useSessionState()
  // Removed from the URL, so that it stays neither in the history nor on the screen.
  const [token] = useState(() => {
    const fragment = location.hash.slice(1)
    history.replaceState(null, '', location.pathname)
    return fragment
  })
  if (token === '') {
    return (
      <CenteredPage
        title="Invitation"
        description="This invitation link is incomplete: the token after # is missing."
      >
        <p>Open the complete link, or request a new invitation.</p>
      </CenteredPage>
    )
  }
  return (
    <CenteredPage title="Join the organization" description="Enter your name and choose a password.">
      <Form
        submit="Join"
        isWide
        onSubmit={async (values) => {
          const body = {
            token,
            first_name: text(values, 'first_name'),
            last_name: text(values, 'last_name'),
            password: password(values, 'password'),
          }
          const session = await bodyOf(platform.POST('/v1/invitations/accept/', { body }))
          signIn(session)
          route('/console/', true)
        }}
      >
        <TextField name="first_name" label="First name" autoComplete="given-name" required />
        <TextField name="last_name" label="Last name" autoComplete="family-name" required />
        <TextField
          name="password"
          label="Password"
          type="password"
          autoComplete="new-password"
          hint={`At least ${minimumPasswordLength} characters.`}
          minLength={minimumPasswordLength}
          required
        />
      </Form>
    </CenteredPage>
  )
}

import { announce } from '../components/toasts.tsx'
import { useSessionState } from '../platform/session.tsx'
import { Alone } from './alone.tsx'
import { PasswordForm } from './password-form.tsx'

/** Stands before all pages while the password is one that somebody else has seen. */
export function NewPassword() {
  const { reload } = useSessionState()
  return (
    <Alone
      title="Choose a password"
      description="The one that you signed in with was made by the service. Choose your own before you go on."
    >
      <PasswordForm
        onChanged={() => {
          announce('Password changed')
          reload()
        }}
      />
    </Alone>
  )
}

import { announce } from '../components/toasts.tsx'
import { useSessionState } from '../platform/session.tsx'
import { Alone } from './alone.tsx'
import { PasswordForm } from './password-form.tsx'

/** Shown before all pages while the user has an initial password, which other people may have seen. */
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

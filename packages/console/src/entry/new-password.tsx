import { announce } from '../components/toasts.tsx'
import { useSessionState } from '../platform/session.tsx'
import { CenteredPage } from './centered-page.tsx'
import { PasswordForm } from './password-form.tsx'

/** Shown before all pages while the user has an initial password, which other people may have seen. */
export function NewPassword() {
  const { reload } = useSessionState()
  return (
    <CenteredPage
      title="Choose a password"
      description="You signed in with a generated password. Replace it to continue."
    >
      <PasswordForm
        onChanged={() => {
          announce('Password changed')
          reload()
        }}
      />
    </CenteredPage>
  )
}

import { TextField } from '../form/fields.tsx'
import { Form } from '../form/form.tsx'
import { password } from '../form/values.ts'
import { bodyOf, platform } from '../platform/client.ts'
import { Problem } from '../platform/problem.ts'
import { minimumPasswordLength } from './password-rule.ts'

/** Changes the password of the signed-in user. */
export function PasswordForm({ onChanged }: { onChanged(): void }) {
  return (
    <Form
      submit="Change password"
      onSubmit={async (values) => {
        const newPassword = password(values, 'new_password')
        if (newPassword !== password(values, 'repeated')) throw mismatch
        const body = { current_password: password(values, 'current_password'), new_password: newPassword }
        await bodyOf(platform.POST('/v1/session/password/', { body }))
        onChanged()
      }}
    >
      <TextField
        name="current_password"
        label="Current password"
        type="password"
        autoComplete="current-password"
        required
      />
      <TextField
        name="new_password"
        label="New password"
        type="password"
        autoComplete="new-password"
        hint={`At least ${minimumPasswordLength} characters.`}
        minLength={minimumPasswordLength}
        required
      />
      <TextField
        name="repeated"
        label="Confirm new password"
        type="password"
        autoComplete="new-password"
        required
      />
    </Form>
  )
}

const mismatch = new Problem(400, {
  code: 'invalid',
  message: 'Invalid input.',
  fields: { repeated: ['The passwords do not match.'] },
})

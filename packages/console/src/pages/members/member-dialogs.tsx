import type { components } from '@fairlead/platform-client'
import { ConfirmDialog, EditDialog } from '../../form/edit-dialog.tsx'
import { CheckField, SelectField, TextField } from '../../form/fields.tsx'
import { selectedValue, isChecked, text } from '../../form/values.ts'
import { bodyOf, ifMatch, platform, versionOf } from '../../platform/client.ts'
import { useSession, useSessionState } from '../../platform/session.tsx'
import { assignableRoles, roleHint } from './roles.ts'

type Member = components['schemas']['Member']

const memberUrl = '/v1/organization/members/{id}/'

/** Edits name, e-mail address, role and state of a member. */
export function EditMember({
  member,
  onSaved,
  onClose,
}: {
  readonly member: Member
  onSaved(): void
  onClose(): void
}) {
  const session = useSession()
  const { reload } = useSessionState()
  const path = { id: member.id }
  const isSelf = member.id === session.user.id
  const roles = assignableRoles(session.role)
  return (
    <EditDialog
      title={`Edit ${member.email}`}
      load={() => versionOf(platform.GET(memberUrl, { params: { path } }))}
      save={(values, etag) => {
        const names = { first_name: text(values, 'first_name'), last_name: text(values, 'last_name') }
        const changes = {
          role: selectedValue(values, 'role', roles),
          disabled: isChecked(values, 'disabled'),
        }
        const email = text(values, 'email')
        const fields = { ...names, ...(email !== member.email && { email }) }
        const body = isSelf ? fields : { ...fields, ...changes }
        return bodyOf(platform.PATCH(memberUrl, { params: { path, header: ifMatch(etag) }, body }))
      }}
      onSaved={isSelf ? reload : onSaved}
      onClose={onClose}
    >
      {(current) => (
        <>
          <div class="form-columns">
            <TextField name="first_name" label="First name" value={current.first_name} required />
            <TextField name="last_name" label="Last name" value={current.last_name} required />
          </div>
          <TextField
            name="email"
            label="E-mail"
            type="email"
            hint="Used to sign in. Changing it requires a recent sign-in."
            value={current.email}
            required
          />
          {!isSelf && (
            <>
              <SelectField
                name="role"
                label="Role"
                hint={roleHint}
                value={current.role}
                choices={roles.map((value) => ({ value, label: value }))}
              />
              <CheckField
                name="disabled"
                label="Disabled"
                hint="Disabled members cannot sign in, and their API keys are rejected."
                checked={current.disabled}
              />
            </>
          )}
        </>
      )}
    </EditDialog>
  )
}

/** Removes a member from the organization. */
export function RemoveMember({
  member,
  onRemoved,
  onClose,
}: {
  readonly member: Member
  onRemoved(): void
  onClose(): void
}) {
  return (
    <ConfirmDialog
      title={`Remove ${member.email}?`}
      submit="Remove"
      done="Member removed"
      confirm={() => bodyOf(platform.DELETE(memberUrl, { params: { path: { id: member.id } } }))}
      onDone={onRemoved}
      onClose={onClose}
    >
      Their sessions and API keys are revoked immediately. Projects and nodes remain.
    </ConfirmDialog>
  )
}

/** Renames the organization. */
export function RenameOrganization({ onClose }: { onClose(): void }) {
  const { reload } = useSessionState()
  return (
    <EditDialog
      title="Rename organization"
      load={() => versionOf(platform.GET('/v1/organization/'))}
      save={(values, etag) => {
        const body = { name: text(values, 'name') }
        return bodyOf(platform.PATCH('/v1/organization/', { params: { header: ifMatch(etag) }, body }))
      }}
      onSaved={reload}
      onClose={onClose}
    >
      {({ name }) => <TextField name="name" label="Name" value={name} maxLength={100} required />}
    </EditDialog>
  )
}

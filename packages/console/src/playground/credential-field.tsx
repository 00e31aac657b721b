import { useId } from 'preact/hooks'
import { announce } from '../components/toasts.tsx'
import { revealableCredential } from '../platform/choices.ts'
import { bodyOf, platform } from '../platform/client.ts'
import { asProblem } from '../platform/problem.ts'
import { useMay } from '../platform/session.tsx'
import { useQuery } from '../platform/use-query.ts'

/** The input of a node's token: typed, or revealed from one of its credentials. It does not leave this page. */
export function CredentialField({
  nodeId,
  token,
  onToken,
}: {
  readonly nodeId: string
  readonly token: string
  onToken(token: string): void
}) {
  const id = useId()
  const mayReveal = useMay('credentials:write')
  return (
    <div class="stack is-tight">
      <div class="field">
        <label for={id}>Token</label>
        <input
          id={id}
          class="input code"
          type="password"
          autoComplete="off"
          value={token}
          onInput={(event) => onToken(event.currentTarget.value.trim())}
        />
      </div>
      {mayReveal && <Reveal key={nodeId} nodeId={nodeId} onToken={onToken} />}
    </div>
  )
}

function Reveal({ nodeId, onToken }: { readonly nodeId: string; onToken(token: string): void }) {
  const { data: credential } = useQuery(() => revealableCredential(nodeId), [nodeId])
  if (!credential) return null
  const reveal = async () => {
    try {
      const path = { id: nodeId, credential_id: credential.id }
      const { token = '' } = await bodyOf(
        platform.POST('/v2/nodes/{id}/credentials/{credential_id}/reveal/', { params: { path } }),
      )
      onToken(token)
      announce('Token filled in')
    } catch (error) {
      announce(asProblem(error).message)
    }
  }
  return (
    <div class="row">
      <button type="button" class="button is-small" onClick={() => void reveal()}>
        Use {credential.label === '' ? credential.id : credential.label}
      </button>
      <span class="field-hint">Recorded in the audit log.</span>
    </div>
  )
}

import { useEffect, useState } from 'preact/hooks'
import { truncationHint } from '../../platform/all-pages.ts'
import { revealableCredential } from '../../platform/choices.ts'
import { bodyOf, platform } from '../../platform/client.ts'
import { asProblem } from '../../platform/problem.ts'
import { useAccess } from './access.tsx'
import { ChoiceControl, SecretControl } from './control.tsx'

const storageHint = 'Stored in memory until you close or reload this page.'

/** The credential input for a call of the platform API. */
export function PlatformAccess() {
  const { apiKey, session, setApiKey, findSession } = useAccess()
  useEffect(findSession, [])
  return (
    <>
      {session && (
        <p class="notice small">
          Signed in as {session.user.email}. Without an API key, requests use this session.
        </p>
      )}
      <SecretControl label="API key" hint={storageHint} value={apiKey} onValue={setApiKey} />
    </>
  )
}

/** The credential input for a call of a node. */
export function NodeAccess({ family }: { readonly family: string }) {
  const { token, session, nodes, setToken, findSession } = useAccess()
  useEffect(findSession, [])
  const matchingNodes = nodes.rows.filter(({ protocols }) =>
    protocols.some((protocol) => protocol === family),
  )
  const mayReveal = session?.scopes.includes('credentials:write') === true
  return (
    <>
      <SecretControl label="Token" hint={storageHint} value={token} onValue={setToken} />
      {mayReveal && matchingNodes.length > 0 && (
        <NodeToken
          nodes={matchingNodes.map(({ id, name, network }) => ({ value: id, label: `${name} (${network})` }))}
          hint={truncationHint(nodes)}
          onToken={setToken}
        />
      )}
    </>
  )
}

function NodeToken({
  nodes,
  hint,
  onToken,
}: {
  readonly nodes: readonly { readonly value: string; readonly label: string }[]
  readonly hint: string | undefined
  onToken(token: string): void
}) {
  const [node, setNode] = useState(nodes[0]?.value ?? '')
  const [message, setMessage] = useState('')
  const reveal = async () => {
    setMessage('')
    try {
      const token = await revealToken(node)
      if (token === undefined) setMessage('This node has no token that can be revealed.')
      else onToken(token)
    } catch (error) {
      setMessage(asProblem(error).message)
    }
  }
  return (
    <div class="stack is-tight">
      <ChoiceControl
        label="Or use one of your nodes"
        hint={hint}
        value={node}
        choices={nodes}
        onValue={setNode}
      />
      <div class="row">
        <button type="button" class="button is-small" onClick={() => void reveal()}>
          Use its token
        </button>
        <span class="field-hint">Recorded in the audit log.</span>
      </div>
      <p class="field-error" role="status">
        {message}
      </p>
    </div>
  )
}

/** The token of a node; undefined when none can be revealed. */
async function revealToken(id: string): Promise<string | undefined> {
  const usable = await revealableCredential(id)
  if (!usable) return undefined
  const path = { id, credential_id: usable.id }
  const secret = await bodyOf(
    platform.POST('/v2/nodes/{id}/credentials/{credential_id}/reveal/', { params: { path } }),
  )
  return secret.token
}

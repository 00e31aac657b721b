import { createHttpTransport, FairleadError, redact } from '@fairlead/core'
import type { Command } from 'commander'
import { addConnectionFlags, type CommandContext } from './add-subcommands.ts'
import { callOperation } from './call-operation.ts'
import { CommandFailure, exitCodeOf, exitCodes } from './exit-codes.ts'
import { findNodeByName, type NodeResource } from './find-node-by-name.ts'
import { type Connection, connectionOf } from './profiles.ts'
import { parseJson } from '@fairlead/gateway-core/json'

const examples = `
The node is an id or a unique name. Without FAIRLEAD_NODE_TOKEN, the command reveals a token of the node, which
requires the scope credentials:write and is recorded in the audit log.

Examples:
  fairlead call ND-482-517-093 eth_blockNumber
  fairlead call Mainnet eth_getBalance 0x000000000000000000000000000000000000dEaD latest
  fairlead call Mainnet eth_getLogs '[{"fromBlock":"0x10","toBlock":"0x20"}]'
  fairlead call Beacon /eth/v1/node/version
  fairlead call Jettons /api/v2/getMasterchainInfo

The exit code is 0 for a result and 1 for an error from the node.`

const timeoutMs = 60_000

/** Adds the command that calls a method of a node through the gateway. */
export function addCallCommand(program: Command, { environment, print }: CommandContext): void {
  const command = program
    .command('call')
    .description('call a JSON-RPC method or a path of a node')
    .argument('<node>', 'id or name of the node')
    .argument('<method>', 'JSON-RPC method, or path with a leading /')
    .argument('[params...]', 'parameters, each as JSON or text, or all as one JSON array')
    .addHelpText('after', examples)
  addConnectionFlags(command).action(async (name: string, method: string, params: readonly string[]) => {
    const connection = connectionOf(command.opts(), environment)
    const node = await findNodeByName(connection, name)
    const token = environment['FAIRLEAD_NODE_TOKEN'] || (await tokenOf(connection, node))
    const response = await callNode(node, token, method, params)
    print(JSON.stringify(response, undefined, 2))
  })
}

async function tokenOf(connection: Connection, { id }: NodeResource): Promise<string> {
  const { body } = await callOperation(connection, 'listCredentials', { path: { id } })
  const { results } = body as {
    results: readonly { id: string; kind: string; state: string; can_reveal: boolean }[]
  }
  const credential = results.find(
    ({ kind, state, can_reveal }) => kind === 'token' && state === 'active' && can_reveal,
  )
  if (!credential) {
    throw new CommandFailure(
      'The node has no token that can be revealed. Set FAIRLEAD_NODE_TOKEN, or create a token with `fairlead credential create`.',
      exitCodes.denied,
    )
  }
  const revealed = await callOperation(connection, 'revealCredential', {
    path: { id, credential_id: credential.id },
  })
  return (revealed.body as { token: string }).token
}

async function callNode(
  { details }: NodeResource,
  token: string,
  method: string,
  params: readonly string[],
): Promise<unknown> {
  const isPath = method.startsWith('/')
  const address = isPath ? pathAddress(details, method, token) : methodAddress(details, token)
  const send = createHttpTransport({ timeoutMs }, [token])
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: parameters(params) })
  const call = { operation: method, url: address, idempotent: isPath }
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
  const { status, text } = await send(isPath ? call : { ...call, init }, async (response) => ({
    status: response.status,
    text: await response.text(),
  })).catch((error: unknown) => {
    const reason = FairleadError.is(error, 'TRANSPORT_FAILED') ? error.details.reason : 'timeout'
    throw new CommandFailure(`The node cannot be reached: ${redact(reason, [token])}`, exitCodes.unavailable)
  })
  const response = parseJson(text)
  if (isPath && status < 400) return response
  const { error, result } = (response ?? {}) as { error?: unknown; result?: unknown }
  if (!isPath && status < 400 && error === undefined) return result
  const excerpt = redact(
    typeof (error ?? response) === 'string' ? text : JSON.stringify(error ?? response ?? text),
    [token],
  )
  throw new CommandFailure(
    `The node returned status ${status}: ${excerpt}`,
    status < 400 ? exitCodes.failed : exitCodeOf(status),
  )
}

function methodAddress(details: NodeResource['details'], token: string): string {
  const template =
    details['https'] ?? (details['api_v2'] === undefined ? undefined : `${details['api_v2']}/jsonRPC`)
  return filled(
    template,
    token,
    'The node has no JSON-RPC endpoint. Use a path such as /eth/v1/node/version.',
  )
}

// The URL templates end where the paths of their protocol begin.
function pathAddress(details: NodeResource['details'], path: string, token: string): string {
  const [name, prefix] = path.startsWith('/api/v3')
    ? (['api_v3', '/api/v3'] as const)
    : path.startsWith('/api/v2')
      ? (['api_v2', '/api/v2'] as const)
      : (['beacon', ''] as const)
  const base = filled(details[name], token, 'The node has no endpoint for this path.')
  return `${base.replace(/\/$/, '')}${path.slice(prefix.length)}`
}

function filled(template: string | undefined, token: string, otherwise: string): string {
  if (template === undefined) throw new CommandFailure(otherwise, exitCodes.missing)
  return template.replace('{token}', encodeURIComponent(token))
}

function parameters(texts: readonly string[]): readonly unknown[] {
  const [first] = texts
  if (texts.length === 1 && first?.trimStart().startsWith('[')) return parseJson(first) as unknown[]
  // Arguments that are not JSON are strings, so an address needs no quotes.
  return texts.map((text) => parseJson(text) ?? text)
}

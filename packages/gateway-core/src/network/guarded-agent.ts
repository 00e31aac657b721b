import { Agent } from 'node:http'
import { Agent as SecureAgent } from 'node:https'
import { guardedConnect, type ConnectionRules, type ConnectOptions } from './guarded-connect.ts'

/** Creates the agent of an HTTP client that checks each of its connections. */
export function guardedAgent(protocol: string, rules: ConnectionRules): Agent {
  const isSecure = protocol === 'https:'
  const agent = isSecure ? new SecureAgent({ keepAlive: true }) : new Agent({ keepAlive: true })
  agent.createConnection = (options) => guardedConnect(targetOf(options, isSecure), isSecure, rules)
  return agent
}

/** Host and port from the options of an HTTP request. */
export function targetOf(options: object, isSecure: boolean): ConnectOptions {
  const { host, port } = options as { readonly host?: string; readonly port?: string | number | null }
  return { ...options, host: host ?? 'localhost', port: Number(port) || (isSecure ? 443 : 80) }
}

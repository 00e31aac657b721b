import { lookup } from 'node:dns'
import { connect, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls, type ConnectionOptions } from 'node:tls'
import { type NetworkPolicy, isAllowedAddress } from './network-policy.ts'
import { isGatewayAddress, isGatewayName, type GatewayAddresses } from './gateway-addresses.ts'

/** Rules that each outgoing connection is checked against. They are read for each connection, so they may change. */
export interface ConnectionRules extends NetworkPolicy {
  /** This gateway itself, rejected at every IP address; none when omitted. */
  readonly gateway?: GatewayAddresses | undefined
  /** Resolves names; `dns.lookup` when omitted. */
  readonly resolve?: LookupFunction | undefined
}

/** Host, port and settings of a connection, as `net.connect` and `tls.connect` accept them. */
export type ConnectOptions = ConnectionOptions & { readonly host: string; readonly port: number }

/**
 * Rules for targets that the operator has configured: every IP address except link-local ones and metadata services.
 */
export const operatorRules: ConnectionRules = { isPrivateAllowed: true }

/**
 * The connection was rejected before it was opened: its IP address is not allowed. The message does not contain the
 * address.
 */
export class RejectedTargetError extends Error {
  override readonly name = 'RejectedTargetError'
  readonly code = 'REFUSED_TARGET'

  constructor() {
    super('The network policy does not allow connections to this IP address.')
  }
}

/**
 * Opens a connection, over TLS if `isSecure`. All outgoing connections to targets that tenants configure are made here.
 *
 * A name is resolved once, each resolved address is checked, and the socket connects only to those that passed, so that
 * a second resolution cannot lead elsewhere. An IP address is checked as well. A rejected connection fails with
 * {@link RejectedTargetError} like any other that cannot be established.
 */
export function guardedConnect(options: ConnectOptions, isSecure: boolean, rules: ConnectionRules): Socket {
  const host = options.host.replace(/^\[(.*)\]$/, '$1')
  const isLiteral = isIP(host) !== 0
  const isRejected = isLiteral && !isAllowedTarget(host, options.port, rules)
  const target = isRejected
    ? { ...options, host: 'refused.invalid', lookup: rejectingLookup }
    : { ...options, host, lookup: checkedLookup(options.port, rules) }
  if (!isSecure) return connect(target)
  return connectTls({ ...target, ...(!isLiteral && { servername: options.servername ?? host }) })
}

/** Whether a connection to an IP address is allowed. */
function isAllowedTarget(address: string, port: number, rules: ConnectionRules): boolean {
  if (rules.gateway !== undefined && isGatewayAddress(address, port, rules.gateway)) return false
  return isAllowedAddress(address, rules)
}

/** Creates a lookup that resolves a name to allowed addresses only. */
function checkedLookup(port: number, rules: ConnectionRules): LookupFunction {
  const { resolve = lookup, gateway } = rules
  return (hostname, options, callback) => {
    if (gateway !== undefined && isGatewayName(hostname, port, gateway)) {
      rejectingLookup(hostname, options, callback)
      return
    }
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '')
      const all = typeof found === 'string' ? [{ address: found, family: 4 }] : found
      const allowed = all.filter(({ address }) => isAllowedTarget(address, port, rules))
      const [first] = allowed
      if (first === undefined) return callback(new RejectedTargetError(), '')
      if (options.all === true) callback(null, allowed)
      else callback(null, first.address, first.family)
    })
  }
}

// The socket fails as for any other name that cannot be resolved, before anything is sent.
const rejectingLookup: LookupFunction = (_hostname, _options, callback) => {
  process.nextTick(callback, new RejectedTargetError(), '')
}

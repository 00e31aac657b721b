import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from '../rpc-codes.ts'

/** Limits for one credential in one process. Changes apply to new WebSockets and subscriptions. */
export interface CredentialSocketLimits {
  readonly maxSocketsPerCredential: number
  readonly maxSubscriptionsPerCredential: number
  /** Subscriptions to logs that name neither an account address nor a topic. Each of them receives every log. */
  readonly maxUnfilteredLogsPerCredential: number
}

/** Properties of a subscription that count toward the limits. */
export interface CountedSubscription {
  /** Number of account addresses, topics and hashes in the subscription. */
  readonly size: number
  readonly isUnfilteredLogs: boolean
}

// Each is stored in memory. Four connections at their limit reach this limit.
const maxFilterItems = 65_536
// The lifetime of a socket depends on its client, but the rejection of a handshake must contain a delay.
const retryAfterSeconds = 5

/** Counts the WebSockets and subscriptions of each credential in one process. */
export class CredentialSockets {
  readonly #limits: CredentialSocketLimits
  readonly #byCredential = new Map<string, SocketUse>()

  /** @param limits - read on each use */
  constructor(limits: CredentialSocketLimits) {
    this.#limits = limits
  }

  /**
   * Counts one more WebSocket.
   *
   * @throws {@link RpcError} -32005 with status 429 when the credential has reached its limit
   */
  open(credentialId: string): SocketShare {
    const use = this.#byCredential.get(credentialId) ?? {
      sockets: 0,
      subscriptions: 0,
      unfilteredLogs: 0,
      filterItems: 0,
    }
    const maxSockets = this.#limits.maxSocketsPerCredential
    if (use.sockets >= maxSockets) {
      throw new RpcError(
        rpcCodes.limitExceeded,
        `The credential can have at most ${maxSockets} open WebSockets.`,
        {
          status: 429,
          data: { reason: 'websockets', max_websockets: maxSockets },
          retryAfterSeconds,
        },
      )
    }
    use.sockets += 1
    this.#byCredential.set(credentialId, use)
    return new SocketShare(use, this.#limits, () => {
      use.sockets -= 1
      if (use.sockets === 0) this.#byCredential.delete(credentialId)
    })
  }
}

/** Usage of all WebSockets of one credential. */
interface SocketUse {
  sockets: number
  subscriptions: number
  unfilteredLogs: number
  filterItems: number
}

/** One WebSocket's share of its credential's usage. */
export class SocketShare {
  readonly #use: SocketUse
  readonly #limits: CredentialSocketLimits
  readonly #close: () => void

  constructor(use: SocketUse, limits: CredentialSocketLimits, close: () => void) {
    this.#use = use
    this.#limits = limits
    this.#close = close
  }

  /**
   * Counts one more subscription.
   *
   * @returns a function to call once when the subscription ends
   * @throws {@link RpcError} -32005 when the credential has reached its limit
   */
  subscribe({ size, isUnfilteredLogs }: CountedSubscription): () => void {
    const use = this.#use
    const { maxSubscriptionsPerCredential, maxUnfilteredLogsPerCredential } = this.#limits
    if (use.subscriptions >= maxSubscriptionsPerCredential) {
      throw tooMany(`have at most ${maxSubscriptionsPerCredential} subscriptions`, {
        reason: 'subscriptions',
        max_subscriptions: maxSubscriptionsPerCredential,
      })
    }
    if (isUnfilteredLogs && use.unfilteredLogs >= maxUnfilteredLogsPerCredential) {
      throw tooMany(
        `have at most ${maxUnfilteredLogsPerCredential} log subscriptions without an address or topic`,
        { reason: 'unfiltered_logs', max_subscriptions: maxUnfilteredLogsPerCredential },
      )
    }
    if (use.filterItems + size > maxFilterItems) {
      throw tooMany(`have at most ${maxFilterItems} addresses, topics and hashes in its subscriptions`, {
        reason: 'filter_items',
        max_filter_items: maxFilterItems,
      })
    }
    const unfiltered = isUnfilteredLogs ? 1 : 0
    use.subscriptions += 1
    use.unfilteredLogs += unfiltered
    use.filterItems += size
    return () => {
      use.subscriptions -= 1
      use.unfilteredLogs -= unfiltered
      use.filterItems -= size
    }
  }

  /** Call it once, after the WebSocket has closed and its subscriptions have ended. */
  close(): void {
    this.#close()
  }
}

function tooMany(action: string, data: Readonly<Record<string, unknown>>): RpcError {
  return new RpcError(rpcCodes.limitExceeded, `The credential can ${action}.`, { data })
}

import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from '../rpc-codes.ts'

/** Maximum numbers for one credential in one process. They may change, for what is opened then. */
export interface CredentialSocketLimits {
  readonly maxSocketsPerCredential: number
  readonly maxSubscriptionsPerCredential: number
  /** Subscriptions to logs that name neither an address nor a topic: each of them receives every log. */
  readonly maxUnfilteredLogsPerCredential: number
}

/** The part of a subscription that counts. */
export interface CountedSubscription {
  /** How many addresses, topics and hashes it names. */
  readonly size: number
  readonly isUnfilteredLogs: boolean
}

// Each is kept in memory; four connections may name as many as one connection can.
const maxFilterItems = 65_536
// A socket ends when its client likes; the refusal of a handshake has to name a time.
const retryAfterSeconds = 5

/** Counts the WebSockets and subscriptions of each credential in one process. */
export class CredentialSockets {
  readonly #limits: CredentialSocketLimits
  readonly #byCredential = new Map<string, SocketUse>()

  /** @param limits - read each time */
  constructor(limits: CredentialSocketLimits) {
    this.#limits = limits
  }

  /**
   * Counts one more WebSocket.
   *
   * @throws {@link RpcError} -32005 with status 429 when the credential has as many as it may
   */
  open(credentialId: string): SocketShare {
    const use = this.#byCredential.get(credentialId) ?? {
      sockets: 0,
      subscriptions: 0,
      unfilteredLogs: 0,
      filterItems: 0,
    }
    const most = this.#limits.maxSocketsPerCredential
    if (use.sockets >= most) {
      throw new RpcError(
        rpcCodes.limitExceeded,
        `The credential may have ${most} WebSockets open at a time.`,
        {
          status: 429,
          data: { reason: 'websockets', max_websockets: most },
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

/** What all WebSockets of one credential use. */
interface SocketUse {
  sockets: number
  subscriptions: number
  unfilteredLogs: number
  filterItems: number
}

/** One WebSocket's part in what its credential uses. */
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
   * @returns a function to call once, at its end
   * @throws {@link RpcError} -32005 when the credential has as many as it may
   */
  subscribe({ size, isUnfilteredLogs }: CountedSubscription): () => void {
    const use = this.#use
    const { maxSubscriptionsPerCredential, maxUnfilteredLogsPerCredential } = this.#limits
    if (use.subscriptions >= maxSubscriptionsPerCredential) {
      throw tooMany(`have ${maxSubscriptionsPerCredential} subscriptions at a time`, {
        reason: 'subscriptions',
        max_subscriptions: maxSubscriptionsPerCredential,
      })
    }
    if (isUnfilteredLogs && use.unfilteredLogs >= maxUnfilteredLogsPerCredential) {
      throw tooMany(
        `have ${maxUnfilteredLogsPerCredential} subscriptions to logs at a time that name neither an address nor a topic`,
        { reason: 'unfiltered_logs', max_subscriptions: maxUnfilteredLogsPerCredential },
      )
    }
    if (use.filterItems + size > maxFilterItems) {
      throw tooMany(`name ${maxFilterItems} addresses, topics and hashes in its subscriptions`, {
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

  /** To be called once, when the WebSocket has closed and its subscriptions have ended. */
  close(): void {
    this.#close()
  }
}

function tooMany(what: string, data: Readonly<Record<string, unknown>>): RpcError {
  return new RpcError(rpcCodes.limitExceeded, `The credential may ${what}.`, { data })
}

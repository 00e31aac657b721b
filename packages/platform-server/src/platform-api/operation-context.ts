import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { FailedAttemptLimiter } from '@fairlead/gateway-core/authentication/failed-attempts'
import type { Units } from '@fairlead/gateway-core/usage/units'
import type { ProtocolDescription } from '@fairlead/gateway-core/protocol/description'
import type { Encryptor } from '@fairlead/gateway-core/credentials/sealing'
import type { NodeService } from '../endpoints/dependencies.ts'
import type { OidcSignIn } from '../sessions/oidc.ts'
import type { Passwords } from '../sessions/passwords.ts'
import type { SignInThrottle } from '../sessions/sign-in-throttle.ts'
import type { Database } from '../store/database.ts'
import type { Store } from '../store/open-store.ts'
import type { SendOptions } from '../webhooks/send-webhook.ts'
import type { RateLimits } from './rate-limits.ts'
import type { LookupLimit } from '../identity/lookup-limit.ts'

/** How webhooks are sent to. */
export interface WebhookSending {
  readonly send: SendOptions
  /** Has what was just written down sent at once. */
  readonly wake: () => void
}

/** What the operations of the platform API need of the service. */
export interface OperationContext {
  readonly db: Kysely<Database>
  /** Opens and seals secrets that can be shown again. */
  readonly encryptor: Encryptor
  readonly log: Logger
  /** Address under which clients reach the service, when it is known. */
  readonly publicUrl: string | undefined
  /** What a call of a node costs. */
  readonly units: Units
  readonly failedAttempts: FailedAttemptLimiter | undefined
  /** Bounds the look-ups of keys and cookies. */
  readonly lookups: LookupLimit
  /** Counts the requests of each caller. */
  readonly limits: RateLimits
  readonly passwords: Passwords
  readonly signInThrottle: SignInThrottle
  /** Set where people may sign in through a provider. */
  readonly oidc: OidcSignIn | undefined
  readonly nodes: NodeService
  /** The protocols that nodes can have. */
  readonly protocols: readonly ProtocolDescription[]
  /** One session of the database for several statements. */
  readonly withSession: Store['withSession']
  readonly webhooks: WebhookSending
}

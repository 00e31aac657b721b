import { RestFailure } from '@fairlead/gateway-core/rest/rest-error'

/** A refusal or failure that is answered as the error body of the jetton chain API, `{"ok": false, "error", "code"}`. */
export class JettonFailure extends RestFailure {
  override readonly name = 'JettonFailure'
}

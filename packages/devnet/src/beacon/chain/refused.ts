/** A message, a block or a question breaks a rule of the protocol; the text names the rule. */
export class Refused extends Error {
  override readonly name = 'Refused'
}

/** Role of a member in an organization. */
export type Role = 'owner' | 'admin' | 'editor' | 'viewer'

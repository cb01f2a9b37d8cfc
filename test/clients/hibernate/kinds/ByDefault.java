// In docs/clients/java.md:
// The column's DEFAULT makes the ID, and the driver reads it back.
public class ByDefault extends org.hibernate.id.IdentityGenerator {}
// End.

// Hibernate's own schema tools, with keys that are bigint, id64 and ulid. Prints a name, a tab and a value for each.
import java.util.*;
import javax.persistence.*;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.annotations.GenericGenerator;
import org.hibernate.cfg.Configuration;
import org.hibernate.type.StringType;

public class Kinds {
    public static void main(String[] arguments) {
        SessionFactory factory = new Configuration().configure()
                .setProperty("hibernate.connection.url", System.getenv("JDBC_URL"))
                .setProperty("hibernate.jdbc.batch_size", "10")
                .buildSessionFactory();
        Session session = factory.openSession();
        session.beginTransaction();
        Photo photo = new Photo();
        Album album = new Album("one");
        Visit visit = new Visit(album);
        for (Object made : List.of(photo, album, visit)) session.persist(made);
        session.flush();

        List<?> block = session.createSQLQuery("SELECT CAST(next_ids(:n) AS id64) AS id")
                .addScalar("id", StringType.INSTANCE).setParameter("n", 3).list();
        for (Object id : block) session.persist(new ImportedAlbum((String) id, "block"));
        session.getTransaction().commit();
        session.clear();

        System.out.println("photo\t" + photo.id + "\nalbum\t" + album.id + "\nvisit\t" + visit.id);
        for (Object id : block) System.out.println("block\t" + id);
        System.out.println("of\t" + ((Visit) session.get(Visit.class, visit.id)).album.title);
        System.out.println("found\t" + session.createQuery("from Album where id in (:ids) order by id")
                .setParameterList("ids", block).list().size());
        System.out.println("prepared\t" + session.createSQLQuery(
                "SELECT count(*) FROM pg_prepared_statements WHERE statement ILIKE '% into %album %'").uniqueResult());
        session.close();
        factory.close();
    }
}

@Entity
class Photo {
    @Id
    @GeneratedValue(generator = "default")
    @GenericGenerator(name = "default", strategy = "ByDefault")
    @Column(columnDefinition = "bigint DEFAULT next_id()")
    Long id;
    String title;
}

// In docs/clients/java.md:
// The URL has stringtype=unspecified: a String goes into an id64 as well as into a text.
@Entity
class Album {
    @Id
    @GeneratedValue(generator = "default")
    @GenericGenerator(name = "default", strategy = "ByDefault")
    @Column(columnDefinition = "id64 DEFAULT next_id()")
    String id;
    String title;

    Album() {}
    Album(String title) { this.title = title; }
}
// End.

@Entity
class Visit {
    @Id
    @GeneratedValue(generator = "default")
    @GenericGenerator(name = "default", strategy = "ByDefault")
    @Column(columnDefinition = "ulid DEFAULT next_ulid()")
    String id;
    @ManyToOne
    @JoinColumn(name = "album_id", columnDefinition = "id64")
    Album album;

    Visit() {}
    Visit(Album album) { this.album = album; }
}

@Entity
@Table(name = "Album")
class ImportedAlbum {
    @Id
    @Column(columnDefinition = "id64 DEFAULT next_id()")
    String id;
    String title;

    ImportedAlbum() {}
    ImportedAlbum(String id, String title) { this.id = id; this.title = title; }
}

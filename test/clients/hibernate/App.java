// Hibernate: the DEFAULT makes the ID, the driver reads it back. Prints as psycopg/app.py does.
import java.util.*;
import javax.persistence.*;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;

public class App {
    public static void main(String[] arguments) {
        SessionFactory factory = new Configuration().addAnnotatedClass(Photo.class).addAnnotatedClass(Comment.class)
                .addAnnotatedClass(ImportedPhoto.class)
                .setProperty("hibernate.connection.driver_class", "org.postgresql.Driver")
                .setProperty("hibernate.connection.url", System.getenv("JDBC_URL"))
                .setProperty("hibernate.dialect", "org.hibernate.dialect.PostgreSQLDialect")
                .setProperty("javax.persistence.validation.mode", "none")
                .buildSessionFactory();
        Session session = factory.openSession();
        session.beginTransaction();
        session.createSQLQuery("CREATE TABLE photo (id bigint PRIMARY KEY DEFAULT next_id(), title text)").executeUpdate();
        session.createSQLQuery("CREATE TABLE comment (id bigint PRIMARY KEY DEFAULT next_id(),"
                + " photo_id bigint REFERENCES photo)").executeUpdate();
        // In docs/clients/java.md:
        Photo photo = new Photo("one");
        session.persist(photo); // photo.id is set
        session.persist(new Comment(photo));
        // End.
        session.persist(new Comment(null));
        List<Photo> batch = List.of(new Photo("batch 1"), new Photo("batch 2"));
        batch.forEach(session::persist);
        List<?> block = session.createSQLQuery("SELECT next_ids(:n)").setParameter("n", 2).list();
        for (int number = 1; number <= block.size(); number++)
            session.persist(new ImportedPhoto(((Number) block.get(number - 1)).longValue(), "block " + number));
        session.getTransaction().commit();

        System.out.println("one\t" + photo.id);
        for (Photo made : batch) System.out.println(made.title + "\t" + made.id);
        for (int number = 1; number <= block.size(); number++)
            System.out.println("block " + number + "\t" + block.get(number - 1));
        session.clear();
        for (Object each : session.createQuery("from Comment").list()) {
            Photo of = ((Comment) each).photo;
            System.out.println("comment\t" + (of == null ? "" : of.getId()));
        }
        System.out.println("found\t" + ((Photo) session.get(Photo.class, photo.id)).title);
        long begin = 0;
        for (int seen = 0; seen < 5;) {
            for (Object read : session.createQuery("from Photo where id >= :begin and id < id_settled() order by id")
                    .setLong("begin", begin).list()) {
                System.out.println("read\t" + ((Photo) read).id);
                begin = ((Photo) read).id + 1;
                seen++;
            }
        }
        session.close();
        factory.close();
    }
}

// In docs/clients/java.md:
@Entity
class Photo {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    Long id;
    String title;

    Photo() {}
    Photo(String title) { this.title = title; }
    Long getId() { return id; }
}

@Entity
class Comment {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    Long id;
    @ManyToOne
    @JoinColumn(name = "photo_id")
    Photo photo;

    Comment() {}
    Comment(Photo photo) { this.photo = photo; }
}
// End.

@Entity
@Table(name = "photo")
class ImportedPhoto {
    @Id
    Long id;
    String title;

    ImportedPhoto() {}
    ImportedPhoto(Long id, String title) { this.id = id; this.title = title; }
}

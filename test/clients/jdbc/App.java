// JDBC: the DEFAULT makes the ID, the driver reads it back. Prints as psycopg/app.py does.
import java.sql.*;
import java.util.*;

public class App {
    public static void main(String[] arguments) throws SQLException {
        try (Connection connection = DriverManager.getConnection(System.getenv("JDBC_URL"))) {
            try (Statement statement = connection.createStatement()) {
                statement.execute("CREATE TABLE photo (id bigint PRIMARY KEY DEFAULT next_id(), title text)");
                statement.execute("CREATE TABLE comment (id bigint PRIMARY KEY DEFAULT next_id(),"
                        + " photo_id bigint REFERENCES photo)");
            }
            // In docs/clients/java.md:
            long id;
            try (PreparedStatement insert = connection.prepareStatement(
                    "INSERT INTO photo (title) VALUES (?)", new String[] {"id"})) {
                insert.setString(1, "one");
                insert.executeUpdate();
                try (ResultSet keys = insert.getGeneratedKeys()) {
                    keys.next();
                    id = keys.getLong(1);
                }
            }

            Map<String, Long> batch = new LinkedHashMap<>();
            try (PreparedStatement insert = connection.prepareStatement(
                    "INSERT INTO photo (title) VALUES (?)", new String[] {"title", "id"})) {
                for (String title : List.of("batch 1", "batch 2")) {
                    insert.setString(1, title);
                    insert.addBatch();
                }
                insert.executeBatch();
                try (ResultSet keys = insert.getGeneratedKeys()) {
                    while (keys.next()) batch.put(keys.getString(1), keys.getLong(2));
                }
            }

            Long[] block;
            try (PreparedStatement select = connection.prepareStatement("SELECT next_id_array(?)")) {
                select.setInt(1, 2);
                try (ResultSet row = select.executeQuery()) {
                    row.next();
                    block = (Long[]) row.getArray(1).getArray();
                }
            }
            // End.
            System.out.println("one\t" + id);
            batch.forEach((title, made) -> System.out.println(title + "\t" + made));
            insertBlock(connection, block);
            insertComment(connection, id);
            insertComment(connection, null);
            find(connection, id);
            readAll(connection, 5);
        }
    }

    private static void insertBlock(Connection connection, Long[] block) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO photo VALUES (?, ?)")) {
            for (int number = 1; number <= block.length; number++) {
                insert.setLong(1, block[number - 1]);
                insert.setString(2, "block " + number);
                insert.executeUpdate();
                System.out.println("block " + number + "\t" + block[number - 1]);
            }
        }
    }

    private static void insertComment(Connection connection, Long photo) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO comment (photo_id) VALUES (?)", new String[] {"photo_id"})) {
            insert.setObject(1, photo, Types.BIGINT);
            insert.executeUpdate();
            try (ResultSet keys = insert.getGeneratedKeys()) {
                keys.next();
                Long stored = keys.getObject(1, Long.class);
                System.out.println("comment\t" + (stored == null ? "" : stored));
            }
        }
    }

    private static void find(Connection connection, long id) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("SELECT title FROM photo WHERE id = ?")) {
            select.setLong(1, id);
            try (ResultSet row = select.executeQuery()) {
                row.next();
                System.out.println("found\t" + row.getString(1));
            }
        }
    }

    private static void readAll(Connection connection, int count) throws SQLException {
        long begin = 0;
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT id, title FROM photo WHERE id >= ? AND id < id_settled() ORDER BY id")) {
            for (int seen = 0; seen < count;) {
                select.setLong(1, begin);
                try (ResultSet rows = select.executeQuery()) {
                    for (; rows.next(); seen++) {
                        System.out.println("read\t" + rows.getLong("id"));
                        begin = rows.getLong("id") + 1;
                    }
                }
            }
        }
    }
}

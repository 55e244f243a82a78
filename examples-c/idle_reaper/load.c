/* Thousands of clients in one thread: connect in waves, speak, listen, and leave in different ways. */
#include "load.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS = 256, SWEEP_MS = 10, UNGREETED_AT_MOST = 100, GIVE_UP_S = 12, GREETING = '\n' };
enum manners { SILENT, CHATTY, RARE, POLITE, RESETTING };
enum phase { CONNECTING, WAITING, SPEAKING, LEAVING, CLOSED };

struct client {
    int fd;
    enum phase phase;
    enum manners manners;
    char letter;
    double next_word, leave_at;
    size_t sent, echoed;
};

struct play {
    struct load *load;
    struct client *clients;
    size_t started, ungreeted, closed;
    int epoll;
};

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void client_close(struct play *play, struct client *client) {
    if (client->phase == CONNECTING || client->phase == WAITING) play->ungreeted--;
    close(client->fd);
    client->phase = CLOSED;
    play->closed++;
    play->load->sent += client->sent;
    play->load->echoed += client->echoed;
    if (client->echoed > client->sent) play->load->wrong_bytes += client->echoed - client->sent;
}

static void client_connect(struct play *play, struct client *client, size_t number) {
    static const enum manners of_ten[10] = { SILENT, CHATTY, POLITE, SILENT, RARE, RESETTING, SILENT, POLITE, CHATTY, SILENT };
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    struct epoll_event event = { .events = EPOLLIN | EPOLLOUT | EPOLLRDHUP, .data.ptr = client };
    address.sin_port = htons(play->load->port);
    client->manners = of_ten[number % 10];
    client->letter = (char)('a' + number % 26);
    client->phase = CONNECTING;
    play->ungreeted++;
    client->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int connecting = client->fd < 0 ? -1 : connect(client->fd, (struct sockaddr *)&address, sizeof address);
    if (client->fd < 0 || (connecting != 0 && errno != EINPROGRESS) ||
        epoll_ctl(play->epoll, EPOLL_CTL_ADD, client->fd, &event) != 0) {
        client_close(play, client);
    }
}

/* The connect has come to an end: from here on only reading is of interest. */
static void client_connected(struct play *play, struct client *client) {
    int error = 0;
    socklen_t length = sizeof error;
    struct epoll_event event = { .events = EPOLLIN | EPOLLRDHUP, .data.ptr = client };
    getsockopt(client->fd, SOL_SOCKET, SO_ERROR, &error, &length);
    if (error != 0) {
        client_close(play, client);
        return;
    }
    play->load->connected++;
    client->phase = WAITING;
    epoll_ctl(play->epoll, EPOLL_CTL_MOD, client->fd, &event);
}

static void client_greeted(struct play *play, struct client *client) {
    double now = seconds_now();
    play->ungreeted--;
    client->phase = SPEAKING;
    client->next_word = now;
    client->leave_at = now + 0.3 + (double)(client->letter - 'a') * 0.04;
}

static void client_listen(struct play *play, struct client *client) {
    char buffer[2048];
    for (;;) {
        ssize_t length = recv(client->fd, buffer, sizeof buffer, MSG_DONTWAIT);
        if (length < 0 && errno == EINTR) continue;
        if (length < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
        if (length <= 0) {
            client_close(play, client); /* the server has ended it */
            return;
        }
        if (client->phase == WAITING) client_greeted(play, client);
        for (ssize_t i = 0; i < length; i++) {
            if (buffer[i] == client->letter) {
                client->echoed++;
            } else if (buffer[i] != GREETING) {
                play->load->wrong_bytes++;
            }
        }
    }
}

static void client_speak(struct client *client, double now) {
    char word[32];
    if (client->manners == SILENT || now < client->next_word) return;
    memset(word, client->letter, sizeof word);
    ssize_t length = send(client->fd, word, sizeof word, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (length > 0) client->sent += (size_t)length;
    client->next_word = now + (client->manners == RARE ? 0.4 : 0.1);
}

static void client_leave(struct play *play, struct client *client) {
    if (client->manners == POLITE) {
        shutdown(client->fd, SHUT_WR); /* and listen until the server closes as well */
        client->phase = LEAVING;
    } else if (client->manners == RESETTING) {
        struct linger at_once = { 1, 0 };
        setsockopt(client->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        client_close(play, client);
    }
}

static void sweep(struct play *play) {
    double now = seconds_now();
    for (size_t i = 0; i < play->started; i++) {
        struct client *client = &play->clients[i];
        if (client->phase != SPEAKING) continue;
        client_speak(client, now);
        if (now >= client->leave_at) client_leave(play, client);
    }
    while (play->started < play->load->clients && play->ungreeted < UNGREETED_AT_MOST) {
        client_connect(play, &play->clients[play->started], play->started);
        play->started++;
    }
}

void *load_run(void *argument) {
    struct load *load = argument;
    struct play play = { .load = load,
                         .clients = calloc(load->clients, sizeof(struct client)),
                         .epoll = epoll_create1(EPOLL_CLOEXEC) };
    struct epoll_event events[EVENTS];
    double next_sweep = seconds_now(), give_up = next_sweep + GIVE_UP_S;
    while (play.clients != NULL && play.closed < load->clients && seconds_now() < give_up) {
        if (seconds_now() >= next_sweep) {
            sweep(&play);
            next_sweep = seconds_now() + SWEEP_MS / 1e3;
        }
        int count = epoll_wait(play.epoll, events, EVENTS, SWEEP_MS);
        for (int i = 0; i < count; i++) {
            struct client *client = events[i].data.ptr;
            if (client->phase == CONNECTING) client_connected(&play, client);
            if (client->phase != CLOSED) client_listen(&play, client);
        }
    }
    load->finished = play.clients != NULL && play.closed == load->clients;
    for (size_t i = 0; i < play.started; i++) {
        if (play.clients[i].phase != CLOSED) client_close(&play, &play.clients[i]);
    }
    close(play.epoll);
    free(play.clients);
    return NULL;
}
